#include "registry/wrappers.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/expression/expression.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"
#include "registry/plugin.h"
#include "targets/target/target.h"
#include "targets/targets.h"

namespace modelport {
namespace {

// `target` is empty for images; `field` is the one of plugin.yaml that names wrappers.
absl::Status LacksWrapper(const Plugin& plugin, const Variant& variant, absl::string_view target,
                          absl::string_view flag, absl::string_view lacks, absl::string_view field) {
  const std::string refusal = absl::StrCat(flag, ": ", variant.name, " does not support ", lacks, ": ");
  for (const Wrapper& wrapper : plugin.wrappers) {
    if (wrapper.target != target || wrapper.root != variant.module.type) continue;
    return absl::InvalidArgumentError(absl::StrCat(refusal, MarkString(wrapper.mark), ": wrapper ", wrapper.name,
                                                   " is for models of which this holds: ", wrapper.when->text()));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(refusal, plugin.path, "/plugin.yaml names no wrapper for ", variant.module.type, " under ", field));
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

// Makes sure that `names` are channels of `target`, each once.
absl::Status CheckChannels(const std::vector<std::string>& names, const Target& target) {
  for (const std::string& name : names) {
    if (std::count(target.channels.begin(), target.channels.end(), name) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(target.name, " has no channel \"", name, "\"", NearestHint(name, target.channels)));
    }
    if (std::count(names.begin(), names.end(), name) > 1) {
      return absl::InvalidArgumentError(absl::StrCat("channel \"", name, "\" is listed twice"));
    }
  }
  return absl::OkStatus();
}

// Makes sure that the interface of a wrapper for `target` says what the host has to know.
absl::Status CheckChannels(const Interface& interface, const Target& target) {
  if (interface.channels_in.empty() || interface.channels_out.empty() || interface.category.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a wrapper for ", target.name, " wants the fields channels_in, channels_out and category"));
  }
  RETURN_IF_ERROR(CheckChannels(interface.channels_in, target));
  return CheckChannels(interface.channels_out, target);
}

// Makes sure that the root of `tree` has an interface that is good for `wrapper`.
absl::Status CheckInterface(const ModuleTree& tree, const Wrapper& wrapper) {
  const ModuleType& type = *tree.root.type;
  if (!tree.interface.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(MarkString(type.mark), ": a wrapper for ",
                                                   wrapper.target.empty() ? "images" : wrapper.target,
                                                   " wants a field interface, ", type.name(), " has none"));
  }
  if (wrapper.target.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Target* target, FindTarget(wrapper.target));
  return Annotate(CheckChannels(*tree.interface, *target), MarkString(type.interface->mark));
}

// What the call of a wrapper of `model` may use.
Scope WrapperScope(const Preprocessing& preprocessing, const ModuleTree& model) {
  std::vector<double> mean = preprocessing.mean, std = preprocessing.std;
  if (mean.empty()) {
    mean.assign(preprocessing.channels, 0);
    std.assign(preprocessing.channels, 1);
  }
  Scope scope = {{"channels", preprocessing.channels},
                 {"mean", std::move(mean)},
                 {"std", std::move(std)},
                 {"multiple_of", preprocessing.multiple_of},
                 {"size", preprocessing.size}};
  const EntryPoint* const forward = FindEntryPoint(model.entry_points, "forward");
  if (forward == nullptr) return scope;
  for (const Port& output : forward->outputs) {
    if (!output.larger_is.empty()) scope.emplace("larger_is_nearer", output.larger_is == "nearer");
  }
  return scope;
}

// Makes sure that the model states which depth is nearer, if the call of its wrapper uses that.
absl::Status CheckDirection(const Wrapper& wrapper, const Scope& scope, const ModuleTree& model) {
  constexpr char kName[] = "larger_is_nearer";
  if (scope.count(kName) > 0 || model.root.arguments.count(kName) > 0) return absl::OkStatus();
  const auto uses = [&](const Expression& argument) {
    const std::vector<std::string> names = argument.names();
    return std::count(names.begin(), names.end(), kName) > 0;
  };
  const Call& call = wrapper.call;
  if (std::none_of(call.positional.begin(), call.positional.end(), uses) &&
      std::none_of(call.named.begin(), call.named.end(), [&](const auto& named) { return uses(named.second); })) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown name \"", kName,
                   "\": it tells what an output of forward states as larger_is, nearer or farther, under "
                   "entry_points of ",
                   model.root.type->name()));
}

absl::StatusOr<ModuleTree> WrapAndCheck(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant,
                                        const ModuleTree& model) {
  ASSIGN_OR_RETURN(const Preprocessing preprocessing, PreprocessingOf(plugin, variant));
  const Scope scope = WrapperScope(preprocessing, model);
  RETURN_IF_ERROR(CheckDirection(wrapper, scope, model));
  ASSIGN_OR_RETURN(ModuleTree tree, WrapTree(model, wrapper.call, scope, variant.module));
  RETURN_IF_ERROR(CheckInterface(tree, wrapper));
  return tree;
}

}  // namespace

std::vector<const Wrapper*> WrappersOf(const Plugin& plugin, const Variant& variant, absl::string_view target) {
  std::vector<const Wrapper*> found;
  for (const Wrapper& wrapper : plugin.wrappers) {
    if (wrapper.target == target && IsFor(wrapper, plugin, variant).value_or(false)) found.push_back(&wrapper);
  }
  return found;
}

absl::StatusOr<ChosenWrapper> FindWrapper(const Plugin& plugin, const Variant& variant, const Target& target,
                                          bool with_preprocess, absl::string_view name) {
  if (target.wraps() && with_preprocess) {
    return absl::InvalidArgumentError(absl::StrCat("--with_preprocess: artifacts for --target=", target.name,
                                                   " prepare the host's images themselves; leave out one of the two"));
  }
  if (!target.wraps() && !name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("--wrapper=", Brief(name), ": artifacts for --target=", target.name,
                                                   " have no wrapper to choose; add ", WrappingTargetFlags()));
  }
  if (!target.wraps() && !with_preprocess) return ChosenWrapper();
  const std::vector<const Wrapper*> wrappers = WrappersOf(plugin, variant, with_preprocess ? "" : target.wrappers);
  if (!wrappers.empty()) {
    return name.empty() ? ChosenWrapper{wrappers.front()} : FindNamed(wrappers, variant, target, name);
  }
  if (with_preprocess) return LacksWrapper(plugin, variant, "", "--with_preprocess", "it", "preprocessing: wrappers");
  return LacksWrapper(plugin, variant, target.wrappers, absl::StrCat("--target=", target.name), "this target",
                      absl::StrCat("targets: ", target.wrappers));
}

absl::StatusOr<bool> IsFor(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant) {
  if (wrapper.root != variant.module.type) return false;
  const ModuleType* const root = plugin.library->Find(wrapper.root);
  if (!wrapper.when || root == nullptr) return true;  // A root that is no type is reported where the variant is built.
  const auto evaluate = [&]() -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(const Scope arguments, BindArguments(root->signature, variant.module, Scope()));
    return wrapper.when->EvaluateCondition(arguments);
  };
  const absl::StatusOr<bool> holds = evaluate();
  if (holds.ok()) return holds;
  return Annotate(holds.status(), absl::StrCat(MarkString(wrapper.mark), ": field \"when\" for ", variant.name));
}

absl::StatusOr<ModuleTree> BuildWithin(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant,
                                       const ModuleTree& model) {
  absl::StatusOr<ModuleTree> tree = WrapAndCheck(wrapper, plugin, variant, model);
  if (tree.ok()) return tree;
  return Annotate(tree.status(), absl::StrCat(MarkString(wrapper.mark), ": wrapper of ", variant.name));
}

absl::StatusOr<std::string> DescribeWrapper(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant,
                                            const ModuleTree& model, const ModuleTree& whole) {
  ASSIGN_OR_RETURN(const Preprocessing preprocessing, PreprocessingOf(plugin, variant));
  Scope known = WrapperScope(preprocessing, model);
  ASSIGN_OR_RETURN(const Scope of_root, BindArguments(model.root.type->signature, variant.module, Scope()));
  known.insert(of_root.begin(), of_root.end());
  const Signature& signature = whole.root.type->signature;
  ASSIGN_OR_RETURN(const Scope values, BindArguments(signature, wrapper.call, known));
  const auto format = [&](std::string* out, const std::string& name) {
    if (const auto value = values.find(name); value != values.end()) {
      absl::StrAppend(out, name, "=", ValueString(value->second));
    }
  };
  return absl::StrCat(signature.name, "(", absl::StrJoin(signature.argument_names(), ", ", format), ")");
}

}  // namespace modelport
