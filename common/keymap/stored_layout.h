// The other direction of a key map: from the slots of a module tree to the keys of a layout.
#ifndef MODELPORT_COMMON_KEYMAP_STORED_LAYOUT_H_
#define MODELPORT_COMMON_KEYMAP_STORED_LAYOUT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/keymap/key_map.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/slot_source.h"

namespace modelport {

// A tensor of a file in the layout.
struct StoredTensor {
  std::string key;
  SlotSource source;  // Of what fills slots.

  bool operator==(const StoredTensor&) const = default;
};

// Something of the checkpoint that the layout cannot hold, and why.
struct Unstorable {
  std::string name;  // A key of the checkpoint, or the path of a dictionary as --state_dict takes it.
  std::string reason;

  bool operator==(const Unstorable&) const = default;
};

// What a file in a layout holds of a checkpoint.
struct StoredLayout {
  std::vector<StoredTensor> tensors;  // In the order of the slots; keys are unique.
  std::vector<Unstorable> unstorable;
  std::vector<std::string> lacking;  // Slots that the checkpoint lacks, and that files of the layout may lack.
  std::vector<std::string> filled;   // Slots that the checkpoint lacks and that are written; see Allowance::is_written.

  bool operator==(const StoredLayout&) const = default;
};

// How a file in `layout` holds what fills the slots of `tree` by `plan`: the rules of the layout are applied backwards,
// and a prefix that it states is put in front of each key. Reading the file by the layout fills the slots with the same
// elements. These cannot be held: a slot whose numbers are not those of the checkpoint, a slot of a rule that is
// one-way or whose inverse is not exact, a slot that the layout drops, a slot that the checkpoint lacks and the layout
// requires, a key that no slot needs, and the checkpoint's other dictionaries.
//   InvalidArgument  a constant of the tree is not the one that the layout states, a rename of the layout cannot be
//                    reversed, two rules are for one slot, or two slots get one key
absl::StatusOr<StoredLayout> StoreInLayout(const Plan& plan, const ModuleTree& tree, const Layout& layout);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_STORED_LAYOUT_H_
