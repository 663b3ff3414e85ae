#ifndef MODELPORT_COMMON_KEYMAP_KEY_MAPPER_H_
#define MODELPORT_COMMON_KEYMAP_KEY_MAPPER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/choose_layout.h"
#include "common/keymap/comparison.h"
#include "common/keymap/key_map.h"
#include "common/keymap/plan.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// Maps one checkpoint by one key map onto any number of module trees. The work that does not depend on a tree is done
// once. Borrows the checkpoint and the key map.
class KeyMapper {
 public:
  // InvalidArgument: no such layout, or no such dictionary.
  static absl::StatusOr<KeyMapper> Make(const Checkpoint& checkpoint, const KeyMap& key_map,
                                        const SourceChoice& choice);

  const Checkpoint& checkpoint() const { return *checkpoint_; }
  const KeyMap& key_map() const { return *key_map_; }

  // The readings in each layout.
  const std::vector<LayoutReadings>& layouts() const { return layouts_; }

  // Compares the checkpoint with `tree`, the modules of the variant called `model`, in the layout that CompareInLayout
  // picks. FailedPrecondition: it picks none.
  absl::StatusOr<Comparison> Compare(const ModuleTree& tree, absl::string_view model) const;

  // Maps the checkpoint onto `tree`, the modules of the variant called `model`.
  //   FailedPrecondition  the file does not fit: one message with every problem, grouped (no or more than one layout
  //                       recognised, two dictionaries that fit and differ, two keys that get the same name, rules
  //                       that match nothing, missing, unexpected, wrong shape, wrong dtype), with counts, the first
  //                       few of each and the nearest names
  absl::StatusOr<Plan> MakePlan(const ModuleTree& tree, absl::string_view model) const;

  // The same from the result of Compare.
  absl::StatusOr<Plan> MakePlan(absl::StatusOr<Comparison> comparison, const ModuleTree& tree,
                                absl::string_view model) const;

  // True if at least one dictionary fits `tree`, or a part of one.
  bool Fits(const ModuleTree& tree) const;

  // True if one does that has no other keys.
  bool FitsWhole(const ModuleTree& tree) const;

 private:
  KeyMapper(const Checkpoint& checkpoint, const KeyMap& key_map, std::vector<LayoutReadings> layouts,
            std::string layout_flag)
      : checkpoint_(&checkpoint),
        key_map_(&key_map),
        layouts_(std::move(layouts)),
        layout_flag_(std::move(layout_flag)) {}

  const Checkpoint* checkpoint_;
  const KeyMap* key_map_;
  std::vector<LayoutReadings> layouts_;
  std::string layout_flag_;
};

// Maps `checkpoint` onto one tree, as KeyMapper does.
absl::StatusOr<Plan> MakePlan(const Checkpoint& checkpoint, const KeyMap& key_map, const ModuleTree& tree,
                              const SourceChoice& choice, absl::string_view model);

// The message about a checkpoint that does not fit a model.

// FailedPrecondition with every problem of `comparison`, grouped:
//   small.pth: does not fit model_small (layout original): 1 of 175 keys missing, 1 unexpected
//     missing: blocks.11.ls2.gamma [384]; nearest in the file: blocks.11.ls2.gama
//     unexpected: blocks.11.ls2.gama [384]
absl::Status FitError(absl::string_view path, absl::string_view model, const ModuleTree& tree,
                      const Comparison& comparison);

// Suggests changes of the key map that would remove differences of `comparison`, which was made with `tree`. Each is an
// indented line after a newline; empty if there are none. It looks for:
//   - keys of a LoRA adapter
//   - a prefix that all unexpected keys share, if at least half of them are missing keys without it
//   - unexpected keys that are counters of BatchNorm, and keys of tensors that are not read
//   - tables of positions of another size
//   - rules of `unused` and `missing` that match nothing, if there are unexpected or missing keys
std::string FitHints(const ModuleTree& tree, const Comparison& comparison);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_KEY_MAPPER_H_
