#ifndef MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_
#define MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/comparison.h"
#include "common/keymap/key_map.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// Compares `tree` with the state dict and in the layout that are meant: those whose marks are found. Where the layout
// is certain (named, or the only one) and its marks are not found, the dictionary that fills most slots is compared.
//   FailedPrecondition  no layout or several recognised; says what each wants and what the file holds
//   InvalidArgument     no such layout
absl::StatusOr<Comparison> CompareInLayout(const Checkpoint& checkpoint, const KeyMap& key_map, const ModuleTree& tree,
                                           absl::string_view layout, absl::string_view model);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_CHOOSE_LAYOUT_H_
