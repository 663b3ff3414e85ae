#ifndef MODELPORT_REGISTRY_TARGET_TREE_H_
#define MODELPORT_REGISTRY_TARGET_TREE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/module_tree/module_tree.h"
#include "registry/plugin.h"
#include "targets/target.h"

namespace modelport {

// The trees of a variant and of its artifact for a target.
struct TargetTree {
  std::shared_ptr<const ModuleTree> model;  // The variant's own, onto which checkpoints are mapped.
  // The artifact's: `model` itself, or a wrapper around a copy of it if the target wraps. Its slots are those of
  // `model`, in the same order.
  std::shared_ptr<const ModuleTree> whole;
};

// Builds the tree of `variant`, one of `plugin`, and wraps it for `target` in what the plugin names for its root.
//   InvalidArgument  the plugin has no wrapper of this root for `target`, or one that does not fit
absl::StatusOr<TargetTree> BuildTargetTree(const Plugin& plugin, const Variant& variant, const Target& target);

// Wraps `model`, the tree of `variant`, in `wrapper`, all of `plugin`. The wrapper's call may use the arguments of the
// variant's root and the preprocessing's mean, std and multiple_of. The result has an interface, with channels that the
// wrapper's target knows.
//   InvalidArgument  the wrapper does not fit the variant, has no interface or names an unknown channel
absl::StatusOr<ModuleTree> BuildWithin(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant,
                                       const ModuleTree& model);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_TARGET_TREE_H_
