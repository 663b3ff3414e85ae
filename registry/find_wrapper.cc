#include "registry/find_wrapper.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_library.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "targets/targets.h"

namespace modelport {
namespace {

// Whether `wrapper`, of the root of `variant`, is for this variant.
absl::StatusOr<bool> IsFor(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant) {
  if (wrapper.when.empty()) return true;
  const ModuleType* const root = plugin.library->Find(variant.module.type);
  if (root == nullptr) return false;  // Reported where the variant is built.
  ASSIGN_OR_RETURN(const Scope arguments, BindArguments(root->signature, variant.module, Scope()));
  ASSIGN_OR_RETURN(const Expression condition, Expression::Parse(wrapper.when));
  return condition.EvaluateCondition(arguments);
}

absl::Status LacksWrapper(const Plugin& plugin, const Variant& variant, absl::string_view flag, absl::string_view lacks,
                          absl::string_view field) {
  return absl::InvalidArgumentError(absl::StrCat(flag, ": ", variant.name, " does not support ", lacks, ": ",
                                                 plugin.path, "/plugin.yaml names no wrapper for ", variant.module.type,
                                                 " under ", field));
}

// "features (the default), classes".
std::string Names(const std::vector<const Wrapper*>& wrappers) {
  return absl::StrJoin(wrappers, ", ", [&](std::string* out, const Wrapper* wrapper) {
    absl::StrAppend(out, wrapper->name, wrapper == wrappers.front() ? " (the default)" : "");
  });
}

absl::StatusOr<ChosenWrapper> FindNamed(const std::vector<const Wrapper*>& wrappers, const Variant& variant,
                                        const Target& target, absl::string_view name) {
  for (const Wrapper* wrapper : wrappers) {
    if (wrapper->name == name) return ChosenWrapper{wrapper, wrapper == wrappers.front() ? "" : wrapper->name};
  }
  return absl::InvalidArgumentError(absl::StrCat("--wrapper=", Brief(name), ": ", variant.name,
                                                 " has no such wrapper for ", target.name, "; it has ",
                                                 Names(wrappers)));
}

}  // namespace

std::vector<const Wrapper*> WrappersOf(const Plugin& plugin, const Variant& variant, absl::string_view target) {
  std::vector<const Wrapper*> found;
  for (const Wrapper& wrapper : plugin.wrappers) {
    if (wrapper.target != target || wrapper.root != variant.module.type) continue;
    if (IsFor(wrapper, plugin, variant).value_or(false)) found.push_back(&wrapper);
  }
  return found;
}

absl::StatusOr<ChosenWrapper> FindWrapper(const Plugin& plugin, const Variant& variant, const Target& target,
                                          bool with_preprocess, absl::string_view name) {
  if (target.wraps && with_preprocess) {
    return absl::InvalidArgumentError(absl::StrCat("--with_preprocess: artifacts for --target=", target.name,
                                                   " prepare the host's images themselves; leave out one of the two"));
  }
  if (!target.wraps && !name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--wrapper=", Brief(name), ": artifacts for --target=", target.name,
                                                   " have no wrapper to choose; add ", WrappingTargetFlags()));
  }
  if (!target.wraps && !with_preprocess) return ChosenWrapper();
  const std::vector<const Wrapper*> wrappers = WrappersOf(plugin, variant, with_preprocess ? "" : target.name);
  if (!wrappers.empty()) {
    return name.empty() ? ChosenWrapper{wrappers.front()} : FindNamed(wrappers, variant, target, name);
  }
  if (with_preprocess) return LacksWrapper(plugin, variant, "--with_preprocess", "it", "preprocessing: wrappers");
  return LacksWrapper(plugin, variant, absl::StrCat("--target=", target.name), "this target",
                      absl::StrCat("targets: ", target.name));
}

absl::Status CheckCondition(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant) {
  return Annotate(IsFor(wrapper, plugin, variant).status(),
                  absl::StrCat(MarkString(wrapper.mark), ": field \"when\" wants an argument of ", wrapper.root));
}

}  // namespace modelport
