#ifndef MODELPORT_COMMON_KEYMAP_COMPARISON_H_
#define MODELPORT_COMMON_KEYMAP_COMPARISON_H_

#include <string>
#include <utility>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/layout_reading.h"
#include "common/keymap/plan.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// A slot and the tensor of its name that does not fit it.
struct Misfit {
  const Slot* slot;
  const CheckpointTensor* tensor;
};

// Two keys of the file that stripping and renaming make one.
struct Collision {
  std::string name;
  const CheckpointTensor* first;
  const CheckpointTensor* second;
};

// A state dict laid beside a module tree: what fits, and everything that does not.
struct Comparison {
  LayoutReading reading;
  Plan plan;  // Complete only if the two fit.

  std::vector<Collision> collisions;
  std::vector<const Rename*> idle_rules;  // Those that match no key.
  std::vector<const Slot*> missing;
  std::vector<SourceKey> unexpected;
  std::vector<Misfit> wrong_shape;
  std::vector<Misfit> wrong_dtype;

  bool fits() const;
};

// Renames the reading's keys by its layout and compares them with `tree`, strictly.
Comparison Compare(LayoutReading reading, const ModuleTree& tree);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_COMPARISON_H_
