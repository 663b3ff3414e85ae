// A Plan says which source tensor fills which slot. It is made from headers alone, and only if everything fits.
#ifndef MODELPORT_COMMON_KEYMAP_PLAN_H_
#define MODELPORT_COMMON_KEYMAP_PLAN_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/key_map.h"
#include "common/keymap/left_out.h"
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
  std::vector<LeftOut> left_out;    // What else the checkpoint holds.
  std::vector<SlotSource> sources;  // One for each of ModuleTree::slots.
  std::vector<std::pair<std::string, std::string>> unused;   // Keys left out, and why.
  std::vector<std::pair<std::string, std::string>> aliases;  // Slots that share a tensor, and the slot it is stored as.
};

// What of a checkpoint is meant, as far as a user says.
struct SourceChoice {
  std::string layout = "auto";  // A layout's name, or "auto" for the one that is recognised.
  // Path of a dictionary, "" for the root; nullopt: the one that fits.
  absl::optional<std::string> state_dict = absl::nullopt;
};

// The choice that the flags --layout and --state_dict make. An empty `state_dict` chooses nothing, "." the root.
SourceChoice ParseSourceChoice(absl::string_view layout, absl::string_view state_dict);

struct LayoutReadings;

// Maps one checkpoint by one key map onto any number of module trees. What needs no tree is done once. Borrows the
// checkpoint and the key map.
class KeyMapper {
 public:
  // InvalidArgument: no such layout, or no such dictionary.
  static absl::StatusOr<KeyMapper> Make(const Checkpoint& checkpoint, const KeyMap& key_map,
                                        const SourceChoice& choice);

  // Maps the checkpoint onto `tree`, the modules of the variant called `model`.
  //   FailedPrecondition  the file does not fit: one message with every problem, grouped (no or more than one layout
  //                       recognised, two dictionaries that fit and differ, keys that become one, rules that match
  //                       nothing, missing, unexpected, wrong shape, wrong dtype), with counts, the first few of each
  //                       and the nearest names
  absl::StatusOr<Plan> MakePlan(const ModuleTree& tree, absl::string_view model) const;

  // True if there is a dictionary that fits `tree`, perhaps several.
  bool Fits(const ModuleTree& tree) const;

 private:
  KeyMapper(const Checkpoint& checkpoint, std::vector<LayoutReadings> layouts);

  const Checkpoint* checkpoint_;
  std::shared_ptr<const std::vector<LayoutReadings>> layouts_;
};

// Maps `checkpoint` onto one tree, as KeyMapper does.
absl::StatusOr<Plan> MakePlan(const Checkpoint& checkpoint, const KeyMap& key_map, const ModuleTree& tree,
                              const SourceChoice& choice, absl::string_view model);

// The keys, shapes and dtypes that the published file of the `original` layout holds for `tree`: what seeded weights
// fill.
std::vector<SeededKey> PublishedKeys(const KeyMap& key_map, const ModuleTree& tree);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_PLAN_H_
