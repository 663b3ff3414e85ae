// How inspect prints the slots of a model beside the keys of a checkpoint.
#ifndef MODELPORT_TOOLS_INSPECT_PRINT_MAPPING_H_
#define MODELPORT_TOOLS_INSPECT_PRINT_MAPPING_H_

#include <ostream>

#include "absl/strings/string_view.h"
#include "common/keymap/comparison.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// Prints a table of what fills the slots of `tree`, with the layers of one kind as one row:
//   blocks.{0..11}.attn.qkv.weight  <- concatenate(0) layer.{0..11}.{query,key,value}.weight  [1152, 384]
void PrintMapping(const Plan& plan, const ModuleTree& tree, std::ostream& out);

// Prints every difference of `comparison`, which does not fit `model`, with the layers of one kind as one row.
void PrintDifferences(const Comparison& comparison, absl::string_view model, std::ostream& out);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_INSPECT_PRINT_MAPPING_H_
