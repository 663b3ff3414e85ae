#ifndef MODELPORT_COMMON_MODULE_TREE_KEEP_OUTPUTS_H_
#define MODELPORT_COMMON_MODULE_TREE_KEEP_OUTPUTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// A tree without some of the outputs of its root's forward, and without what only these need.
struct KeptOutputs {
  Call call;                               // Of the root.
  std::shared_ptr<const ModuleTree> tree;  // Its slots are some of those of the whole tree, in the same order.
  // Empty if nothing is left out:
  std::vector<std::string> names;           // Of the outputs that forward still has, in the plugin's order.
  std::vector<std::string> left_out;        // Of its other outputs.
  std::vector<std::string> left_out_slots;  // Of the whole tree's slots that `tree` lacks.
};

// Leaves out the outputs of forward that are not in `names`, or none if `names` is empty: calls the root of `model`
// as `call`, of which it is the tree, but with 0 for the arguments that switch these outputs on (`switched_by` in
// docs/plugins.md). An output that no argument switches stays if it is there only on demand (`only_with`).
//   InvalidArgument  forward has no output of such a name; one cannot be left out, or only together with one that is
//                    kept; or an argument changes more than the outputs that it switches
absl::StatusOr<KeptOutputs> KeepOutputs(std::shared_ptr<const ModuleTree> model, const Call& call,
                                        const std::vector<std::string>& names);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_KEEP_OUTPUTS_H_
