#ifndef MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_
#define MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/comparison.h"
#include "common/keymap/key_map.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// What a layout may read in a checkpoint, in order of preference.
struct LayoutReadings {
  const Layout* layout;
  std::vector<LayoutReading> readings;

  bool recognised() const;
};

// The readings by every layout, in every dictionary, that `choice` leaves.
//   InvalidArgument   no such layout or dictionary
absl::StatusOr<std::vector<LayoutReadings>> ReadLayouts(const Checkpoint& checkpoint, const KeyMap& key_map,
                                                        const SourceChoice& choice);

// Compares `tree` with the state dict and in the layout that are meant: the layout of which a dictionary has the marks,
// and of these dictionaries the first that fits, or else the first. Where the layout is certain (named, or the only
// one) and its marks are not found, the dictionary that fills most slots is compared.
//   FailedPrecondition  no layout or several recognised, or several dictionaries fit and are not the same; says what
//                       each wants and what the file holds
absl::StatusOr<Comparison> CompareInLayout(const Checkpoint& checkpoint, const std::vector<LayoutReadings>& layouts,
                                           const ModuleTree& tree, absl::string_view model);

// True if one layout is recognised, and a dictionary fits in it.
bool FitsInLayout(const std::vector<LayoutReadings>& layouts, const ModuleTree& tree);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_
