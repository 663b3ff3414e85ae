#ifndef MODELPORT_COMMON_KEYMAP_COMPARISON_H_
#define MODELPORT_COMMON_KEYMAP_COMPARISON_H_

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

// A state dict laid beside a module tree: what fits, and everything that does not.
struct Comparison {
  LayoutReading reading;  // With its keys.
  Plan plan;              // Complete only if the two fit, and but for what is left out.

  std::vector<const Slot*> missing;
  std::vector<SourceKey> unexpected;
  std::vector<Misfit> wrong_shape;
  std::vector<Misfit> wrong_dtype;

  bool fits() const;
};

// Compares the reading's keys with `tree`, strictly.
Comparison Compare(LayoutReading reading, const ModuleTree& tree);

// True if Compare(reading, tree) fits. Ends with the first slot that does not.
bool Fits(const LayoutReading& reading, const ModuleTree& tree);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_COMPARISON_H_
