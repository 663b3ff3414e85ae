#ifndef MODELPORT_TOOLS_DRAFT_DRAFT_KEY_MAP_H_
#define MODELPORT_TOOLS_DRAFT_DRAFT_KEY_MAP_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "tools/draft/key_tree.h"

namespace modelport {

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

#endif  // MODELPORT_TOOLS_DRAFT_DRAFT_KEY_MAP_H_
