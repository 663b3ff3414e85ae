// Keys or slots of layers that differ only in their indices, as groups.
#ifndef MODELPORT_TOOLS_DRAFT_KEY_GROUPS_H_
#define MODELPORT_TOOLS_DRAFT_KEY_GROUPS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/tensor/shape.h"

namespace modelport {

// The name and shape of a tensor or slot.
struct NamedShape {
  absl::string_view name;
  const Shape* shape;
};

// Names that match one pattern, with a placeholder for each number between dots.
struct KeyGroup {
  using Members = std::map<std::vector<int64_t>, Shape>;  // Shapes by what the placeholders stand for.

  std::string pattern;  // "blocks.{i}.norm1.weight"
  Members members;
};

// The groups of `tensors`, in the order of their first members. Names that no pattern can have, such as those with
// braces, and names of more than 1000 bytes are not in any group. Only the first six numbers of a name become
// placeholders.
std::vector<KeyGroup> GroupKeys(const std::vector<NamedShape>& tensors);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_DRAFT_KEY_GROUPS_H_
