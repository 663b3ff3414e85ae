#ifndef MODELPORT_COMMON_MODULE_TREE_WRAPPED_TREE_H_
#define MODELPORT_COMMON_MODULE_TREE_WRAPPED_TREE_H_

#include "absl/status/statusor.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// The name of a wrapped tree within its wrapper.
inline constexpr char kWrappedName[] = "model";

// Instantiates `wrapper` around a copy of `model`, the tree of `call`, which becomes its child "model". `wrapper` may
// use the arguments of `call` and `scope`, and has no tensors of its own: the slots are those of `model`, in the same
// order, with "model." in front of their names.
//   InvalidArgument  as BuildModuleTree; a wrapper that has tensors, or a member "model"
absl::StatusOr<ModuleTree> WrapTree(const ModuleTree& model, const Call& wrapper, const Scope& scope, const Call& call);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_WRAPPED_TREE_H_
