// How inspect prints what it finds in a checkpoint, and the slots of a model beside its keys.
#ifndef MODELPORT_TOOLS_INSPECT_PRINT_CHECKPOINT_H_
#define MODELPORT_TOOLS_INSPECT_PRINT_CHECKPOINT_H_

#include <ostream>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/comparison.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "registry/recognise/checked_plan.h"
#include "registry/recognise/recognise_model.h"

namespace modelport {

// Prints the file's path, format and size, as one line.
void PrintFile(const Checkpoint& checkpoint, std::ostream& out);

// Prints what the file holds: metadata, its state dicts with every tensor's key, dtype and shape, and what else holds
// tensors. That is a hundred lines, so the answers come before it.
void PrintContents(const Checkpoint& checkpoint, std::ostream& out);

// Prints the names of the models that the file fits, their family and layout, and what decides between them. If there
// are none, prints why those with its keys and shapes are refused, or the nearest model and how the file differs.
void PrintFit(const std::vector<FittingVariant>& variants, const absl::optional<NearestVariant>& nearest,
              const std::string& layout, std::ostream& out);

// Prints how the file maps onto `tree`, the modules of `model`, and what that leaves out.
void PrintPlan(const Plan& plan, const ModuleTree& tree, absl::string_view model, std::ostream& out);

// Prints a table of what fills the slots of `tree`, with the layers of one kind as one row:
//   blocks.{0..11}.attn.qkv.weight  <- concatenate(0) layer.{0..11}.{query,key,value}.weight  [1152, 384]
void PrintMapping(const Plan& plan, const ModuleTree& tree, std::ostream& out);

// Prints every difference of `comparison`, which does not fit `model`, with the layers of one kind as one row.
void PrintDifferences(const Comparison& comparison, absl::string_view model, std::ostream& out);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_INSPECT_PRINT_CHECKPOINT_H_
