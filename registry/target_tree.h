#ifndef MODELPORT_REGISTRY_TARGET_TREE_H_
#define MODELPORT_REGISTRY_TARGET_TREE_H_

#include "absl/status/statusor.h"
#include "common/module_tree/module_tree.h"
#include "registry/plugin.h"
#include "targets/target.h"

namespace modelport {

// The tree of the artifact of `variant`, one of `plugin`, for `target`: the variant's own tree or, if the target wraps
// models, that tree within the wrapper that the plugin names for its root. Its slots are the variant's, in the same
// order.
//   InvalidArgument  the plugin has no wrapper of this root for `target`, or one that does not fit
absl::StatusOr<ModuleTree> BuildTargetTree(const Plugin& plugin, const Variant& variant, const Target& target);

// The tree of `variant` within `wrapper`, both of `plugin`. The wrapper's call may use the arguments of the variant's
// root and the preprocessing's mean, std and multiple_of.
//   InvalidArgument  the wrapper does not fit
absl::StatusOr<ModuleTree> BuildWithin(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_TARGET_TREE_H_
