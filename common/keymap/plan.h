// A Plan says which source tensor fills which slot. It is made from headers alone, and only if everything fits.
#ifndef MODELPORT_COMMON_KEYMAP_PLAN_H_
#define MODELPORT_COMMON_KEYMAP_PLAN_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/key_map.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// How one slot is filled.
struct SlotSource {
  const CheckpointTensor* tensor = nullptr;  // Borrowed from the checkpoint; null: zeros.
  std::string reason;                        // Why a slot without a tensor may be zeros.
};

struct Plan {
  std::string layout;
  std::string state_dict;           // Path of the dictionary it was taken from, "" for the root.
  std::vector<SlotSource> sources;  // One for each of ModuleTree::slots.
  std::vector<std::pair<std::string, std::string>> unused;   // Keys left out, and why.
  std::vector<std::pair<std::string, std::string>> aliases;  // Slots that share a tensor, and the slot it is stored as.
};

// Maps `checkpoint` onto `tree`, the modules of the variant called `model`. `layout` is a layout's name or "auto".
//   FailedPrecondition  the file does not fit: one message with every problem, grouped (no or more than one layout
//                       recognised, keys that become one, rules that match nothing, missing, unexpected, wrong shape,
//                       wrong dtype), with counts, the first few of each and the nearest names
//   InvalidArgument     no such layout
absl::StatusOr<Plan> MakePlan(const Checkpoint& checkpoint, const KeyMap& key_map, const ModuleTree& tree,
                              absl::string_view layout, absl::string_view model);

// The keys and shapes that the published file of the `original` layout holds for `tree`: what seeded weights fill.
std::vector<SeededKey> PublishedKeys(const KeyMap& key_map, const ModuleTree& tree);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_PLAN_H_
