#ifndef MODELPORT_TOOLS_NEW_PLUGIN_MODULE_YAML_H_
#define MODELPORT_TOOLS_NEW_PLUGIN_MODULE_YAML_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/draft/key_tree.h"
#include "tools/new_plugin/sized_text.h"

namespace modelport {

// What a modules file has for a child or an item: a call of a module type or a list.
struct DraftedEntry {
  SizedText call = {};    // Of no text for a list.
  std::string note = {};  // A comment behind the call.
  // Of a list: its items, of which there is at least one, and how often each is repeated.
  std::vector<std::pair<DraftedEntry, int>> items = {};

  // Adds `item`, `count` times, to the list: one more repetition if it equals the last one.
  void AddItem(DraftedEntry item, int count);

  friend bool operator==(const DraftedEntry&, const DraftedEntry&) = default;
};

// What stands below the signature of a module type in a modules file: the tensors of `module`, its children as
// `draft_child` drafts each, and a forward that returns its input, whose comment names the children.
SizedText ModuleYaml(const KeyNode& module, absl::FunctionRef<DraftedEntry(const KeyNode&)> draft_child);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_NEW_PLUGIN_MODULE_YAML_H_
