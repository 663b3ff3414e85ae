// A KeyTree is the keys of a state dict as modules within modules, named as a module tree can name them.
#ifndef MODELPORT_TOOLS_DRAFT_KEY_TREE_H_
#define MODELPORT_TOOLS_DRAFT_KEY_TREE_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/keymap/layout_reading.h"

namespace modelport {

// A module or a list of modules: everything whose keys begin with one path.
struct KeyNode {
  struct Tensor {
    std::string name;
    SourceKey key;
  };

  std::string name;                                // In its parent; of an item of a list, its index: "3".
  std::vector<Tensor> tensors;                     // In file order.
  std::vector<std::unique_ptr<KeyNode>> children;  // In file order; the items of a list by index, which may have gaps.
  bool is_list = false;                            // A list has no tensors, and its children are items.
};

struct KeyTree {
  // Patterns of a `renames` rule (common/keymap/key_map.h).
  struct Rename {
    std::string from;
    std::string to;
  };

  KeyNode root;  // Never a list.
  // What leads from the keys to the names in the tree, to be applied in this order. Empty if all names are as in the
  // file.
  std::vector<Rename> renames;
  // A key that they change, and its name in the tree.
  absl::optional<std::pair<std::string, std::string>> renamed;
};

// Groups `keys`, whose names are unique, by the dots in the names. A module whose parts below are 0, 1, ... is a list.
// A name that no member can have ("in", "1x1", "forward", a tensor named like a module) is replaced, and a rename leads
// to the new one. Takes time linear in the size of the keys.
//   InvalidArgument  a key with an empty part or with a brace, which no pattern matches; a key of more than 50 parts;
//                    more than 100 renames
absl::StatusOr<KeyTree> GroupKeys(const std::vector<SourceKey>& keys);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_DRAFT_KEY_TREE_H_
