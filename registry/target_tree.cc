#include "registry/target_tree.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/module_tree/wrapped_tree.h"
#include "common/status/annotate.h"

namespace modelport {

absl::StatusOr<ModuleTree> BuildTargetTree(const Plugin& plugin, const Variant& variant, const Target& target) {
  if (!target.wraps) return BuildModuleTree(plugin.library, variant.module);
  for (const Wrapper& wrapper : plugin.wrappers) {
    if (wrapper.target == target.name && wrapper.root == variant.module.type) {
      return BuildWithin(wrapper, plugin, variant);
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--target=", target.name, ": ", variant.name, " does not support this target: ", plugin.path,
                   "/plugin.yaml names no wrapper for ", variant.module.type, " under targets: ", target.name));
}

absl::StatusOr<ModuleTree> BuildWithin(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant) {
  const Preprocessing& preprocessing = plugin.preprocessing;
  const Scope scope = {
      {"mean", preprocessing.mean}, {"std", preprocessing.std}, {"multiple_of", preprocessing.multiple_of}};
  absl::StatusOr<ModuleTree> tree = BuildWrappedTree(plugin.library, wrapper.call, scope, variant.module);
  if (tree.ok()) return tree;
  return Annotate(tree.status(), absl::StrCat(MarkString(wrapper.mark), ": wrapper of ", variant.name));
}

}  // namespace modelport
