#ifndef MODELPORT_COMMON_KEYMAP_COMPARISON_H_
#define MODELPORT_COMMON_KEYMAP_COMPARISON_H_

#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/keymap/layout_reading.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"
#include "common/operation/slot_source.h"
#include "common/yaml/document.h"

namespace modelport {

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

// The result of comparing a state dict with a module tree: what fills the slots, and every difference.
struct Comparison {
  LayoutReading reading;  // With its keys.
  Plan plan;              // Without `left_out`. Slots that are missing have no source.

  std::vector<MissingSlot> missing;
  std::vector<SourceKey> unexpected;
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
