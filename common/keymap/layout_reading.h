#ifndef MODELPORT_COMMON_KEYMAP_LAYOUT_READING_H_
#define MODELPORT_COMMON_KEYMAP_LAYOUT_READING_H_

#include <string>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_map.h"

namespace modelport {

// A tensor of a checkpoint and the name that a layout gives it.
struct SourceKey {
  std::string name;
  const CheckpointTensor* tensor;
};

// One state dict of a checkpoint as one layout reads it. Borrows from both.
struct LayoutReading {
  const Layout* layout;
  const StateDict* dict;
  std::vector<SourceKey> keys;               // In file order, prefixes stripped, not yet renamed.
  std::vector<const KeyPattern*> unmatched;  // Patterns of `recognise` that match no key.

  bool recognised() const { return unmatched.empty(); }
};

// The readings of every dictionary in which `layout` may stand, in order of preference: the file's root, then the
// dictionaries to unwrap and those nested in them.
std::vector<LayoutReading> ReadLayout(const Layout& layout, const Checkpoint& checkpoint);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_LAYOUT_READING_H_
