#ifndef MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_
#define MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/comparison.h"
#include "common/keymap/key_map.h"
#include "common/keymap/layout_reading.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// The readings of a checkpoint by one layout, in order of preference.
struct LayoutReadings {
  const Layout* layout;
  std::vector<LayoutReading> readings;

  bool recognised() const;
};

// The readings by every layout, of every dictionary, that `choice` admits.
//   InvalidArgument   no such layout or dictionary
absl::StatusOr<std::vector<LayoutReadings>> ReadLayouts(const Checkpoint& checkpoint, const KeyMap& key_map,
                                                        const SourceChoice& choice);

// Picks the one layout whose `recognise` patterns match the keys of a dictionary, and compares `tree` with the first of
// its dictionaries that fits, or else with the first that is recognised. If there is only one layout to pick from
// (named, or the only one of the key map) and it is not recognised, the dictionary that fills most slots is compared.
//   FailedPrecondition  no layout or several recognised, or several dictionaries fit and differ; the message says what
//                       each layout wants and what the file holds
absl::StatusOr<Comparison> CompareInLayout(const Checkpoint& checkpoint, const std::vector<LayoutReadings>& layouts,
                                           const ModuleTree& tree, absl::string_view model);

// True if exactly one layout is recognised and a dictionary read by it fits `tree`.
bool FitsInLayout(const std::vector<LayoutReadings>& layouts, const ModuleTree& tree);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_
