#ifndef MODELPORT_COMMON_MODULE_TREE_TREE_PART_H_
#define MODELPORT_COMMON_MODULE_TREE_TREE_PART_H_

#include "absl/strings/string_view.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// The slots of `tree` below `child`, a child of the root, by their names in that child and in their order: `weight` for
// the slot `head.weight` of the child `head`. All slots if `child` is empty. The result has slots only, no modules.
ModuleTree TreePart(const ModuleTree& tree, absl::string_view child);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_TREE_PART_H_
