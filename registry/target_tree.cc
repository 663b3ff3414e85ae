#include "registry/target_tree.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/module_tree/wrapped_tree.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

absl::StatusOr<const Wrapper*> FindWrapper(const Plugin& plugin, const Variant& variant, const Target& target) {
  const auto fits = [&](const Wrapper& wrapper) {
    return wrapper.target == target.name && wrapper.root == variant.module.type;
  };
  const auto found = std::find_if(plugin.wrappers.begin(), plugin.wrappers.end(), fits);
  if (found != plugin.wrappers.end()) return &*found;
  return absl::InvalidArgumentError(
      absl::StrCat("--target=", target.name, ": ", variant.name, " does not support this target: ", plugin.path,
                   "/plugin.yaml names no wrapper for ", variant.module.type, " under targets: ", target.name));
}

}  // namespace

absl::StatusOr<TargetTree> BuildTargetTree(const Plugin& plugin, const Variant& variant, const Target& target) {
  ASSIGN_OR_RETURN(ModuleTree built, BuildModuleTree(plugin.library, variant.module));
  const auto model = std::make_shared<const ModuleTree>(std::move(built));
  if (!target.wraps) return TargetTree{model, model};
  ASSIGN_OR_RETURN(const Wrapper* wrapper, FindWrapper(plugin, variant, target));
  ASSIGN_OR_RETURN(ModuleTree wrapped, BuildWithin(*wrapper, plugin, variant, *model));
  return TargetTree{model, std::make_shared<const ModuleTree>(std::move(wrapped))};
}

absl::StatusOr<ModuleTree> BuildWithin(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant,
                                       const ModuleTree& model) {
  const Preprocessing& preprocessing = plugin.preprocessing;
  const Scope scope = {
      {"mean", preprocessing.mean}, {"std", preprocessing.std}, {"multiple_of", preprocessing.multiple_of}};
  absl::StatusOr<ModuleTree> tree = WrapTree(model, wrapper.call, scope, variant.module);
  if (tree.ok()) return tree;
  return Annotate(tree.status(), absl::StrCat(MarkString(wrapper.mark), ": wrapper of ", variant.name));
}

}  // namespace modelport
