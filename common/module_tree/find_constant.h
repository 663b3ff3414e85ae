#ifndef MODELPORT_COMMON_MODULE_TREE_FIND_CONSTANT_H_
#define MODELPORT_COMMON_MODULE_TREE_FIND_CONSTANT_H_

#include "absl/strings/string_view.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// The constant of `tree` at a dotted path, "backbone.num_register_tokens"; null if there is none.
const Value* FindConstant(const ModuleTree& tree, absl::string_view path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_FIND_CONSTANT_H_
