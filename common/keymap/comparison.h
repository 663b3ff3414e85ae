#ifndef MODELPORT_COMMON_KEYMAP_COMPARISON_H_
#define MODELPORT_COMMON_KEYMAP_COMPARISON_H_

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
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/slot_source.h"
#include "common/yaml/document.h"

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

// A slot and a source for it that has another shape or dtype.
struct Misfit {
  const Slot* slot;
  SlotSource source;
};

// A slot and the keys, after renaming, that would fill it and that the file lacks.
struct MissingSlot {
  const Slot* slot;
  std::vector<std::string> keys;
};

// A slot that the rule for it cannot fill, and why.
struct Unconvertible {
  const Slot* slot;
  YamlMark mark;  // Of the rule.
  std::string problem;
};

// An entry of the dictionary that is a tensor of a kind whose elements are not read.
struct UnreadKey {
  std::string key;   // In the file's dictionary.
  std::string kind;  // "a sparse tensor".
};

// The result of comparing a state dict with a module tree: what fills the slots, and every difference.
struct Comparison {
  LayoutReading reading;  // With its keys.
  Plan plan;              // Without `left_out`. Slots that are missing have no source.

  std::vector<MissingSlot> missing;
  std::vector<SourceKey> unexpected;
  std::vector<UnreadKey> unread;  // Less those that the layout leaves unused.
  std::vector<Misfit> wrong_shape;
  std::vector<Misfit> wrong_dtype;
  std::vector<Unconvertible> unconvertible;

  // True if there is no difference: the plan has a source for every slot.
  bool fits() const;
};

// Compares the reading's keys with the slots of `tree`, strictly, and collects every difference.
Comparison Compare(LayoutReading reading, const ModuleTree& tree);

// The comparison if it fits, nullopt if the layout is not recognised or anything differs. Stops at the first slot that
// differs.
absl::optional<Comparison> CompareIfFits(const LayoutReading& reading, const ModuleTree& tree);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_COMPARISON_H_
