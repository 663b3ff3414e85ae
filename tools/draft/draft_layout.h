#ifndef MODELPORT_TOOLS_DRAFT_DRAFT_LAYOUT_H_
#define MODELPORT_TOOLS_DRAFT_DRAFT_LAYOUT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/module_tree/module_tree.h"
#include "tools/draft/key_tree.h"

namespace modelport {

// A layout that nobody has checked.
struct LayoutDraft {
  std::string yaml;  // A keymap.yaml with the one layout `drafted`; what it leaves is listed in comments.
  size_t slots = 0, filled = 0;
  size_t keys = 0, used = 0;
};

// Drafts the layout by which most keys of `dict` fill slots of `tree`. Names of layers that differ in indices only are
// paired as one, and only if all their shapes agree. In this order it pairs
//   - equal names, also without a prefix of all keys
//   - slots with the two or three keys that together have their shape, as `concatenate(0)`; and the reverse, `chunk`
//   - the rest of one shape, the most similar names (SharedPieces) first
//   - what is left and alone of its shape on both sides
// Shapes and names only suggest these rules: a human has to check each. The time is bounded: at most 20,000 pairs of
// names are compared; what was not compared is left.
//   InvalidArgument  more than 20,000 tensors or slots
absl::StatusOr<LayoutDraft> DraftLayout(const StateDict& dict, const ModuleTree& tree);

// What a drafted keymap.yaml says.
struct DraftedRules {
  std::vector<std::string> keys;    // Those that the layout is recognised by, at least one.
  std::vector<std::string> unwrap;  // As in Layout.
  std::vector<std::string> strip;
  std::vector<std::string> empty;  // Keys of tensors without elements, which no slot can hold.
  bool lacks_counters = false;     // Batch norms have no num_batches_tracked in the file.
};

// The text of a keymap.yaml by which a file whose keys were grouped to `tree` fits it. If names were replaced, the
// layout `original` has those of the tree, and a layout `published` those of the file.
std::string KeyMapText(const DraftedRules& rules, const KeyTree& tree);

// `text`, of which no character is a control character, in the double quotes of YAML.
std::string YamlQuoted(absl::string_view text);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_DRAFT_DRAFT_LAYOUT_H_
