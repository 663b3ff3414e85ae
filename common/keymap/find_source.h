#ifndef MODELPORT_COMMON_KEYMAP_FIND_SOURCE_H_
#define MODELPORT_COMMON_KEYMAP_FIND_SOURCE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/keymap/conversion.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_pattern.h"
#include "common/keymap/layout_reading.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/slot_source.h"

namespace modelport {

// What a reading of a checkpoint has for a slot.
struct FoundSource {
  absl::optional<SlotSource> source;
  std::vector<std::string> keys;      // The names, after renaming, of the keys that it is made of, or would be;
                                      // also by `other`.
  std::vector<std::string> lacking;   // Those of `keys` that the file lacks.
  const Conversion* rule = nullptr;   // The rule of `sources` that applies; null if none does.
  const Conversion* other = nullptr;  // A second one that applies, which is an error.
  std::string problem;                // Why the tensors cannot be converted; empty if they can.
  bool is_aliased = false;            // Whether an alias names the key.
};

// Looks for the source of `slot` in `reading`, which has keys: by the rule of `sources` for it, under its own key, or
// as the alias for it.
FoundSource FindSource(const Slot& slot, const LayoutReading& reading);

// A rule of `sources` for a slot, whose index among the rule's is `result`.
struct RuleMatch {
  const Conversion* rule;
  KeyBindings bindings;
  size_t result;
};

// The rules of `layout` that match the slot's name, of those for which `applies` returns true; in the layout's order.
std::vector<RuleMatch> MatchRules(const Layout& layout, absl::string_view slot,
                                  absl::FunctionRef<bool(const Conversion& rule)> applies);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_FIND_SOURCE_H_
