// Keys or slots of layers that differ only in their indices, as groups, and the pairs that a file and a model make.
#ifndef MODELPORT_TOOLS_DRAFT_PAIR_GROUPS_H_
#define MODELPORT_TOOLS_DRAFT_PAIR_GROUPS_H_

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

// Names that match one pattern, with a placeholder for each number between dots in which they differ; a name alone has
// one for each number.
struct KeyGroup {
  using Members = std::map<std::vector<int64_t>, Shape>;  // Shapes by what the placeholders stand for.

  std::string pattern;  // "blocks.{i}.norm1.weight"
  Members members;
};

// The groups of `tensors`, in the order of their first members. Names that no pattern can have, such as those with
// braces, and names of more than 1000 bytes are not in any group. Only the first six numbers of a name become
// placeholders.
std::vector<KeyGroup> GroupKeys(const std::vector<NamedShape>& tensors);

// Groups of slots, and the groups of keys that may fill them.
struct GroupPair {
  std::vector<const KeyGroup*> slots, keys;
  std::string by;          // "concatenate(0)", "chunk(3, 0)"; empty: a key for a slot.
  double likeness = 1;     // SharedPieces of their names.
  bool is_ordered = true;  // False where only the file's order says which of the keys, or slots, is which.
};

// Pairs `slots` with `keys` as DraftLayout says, in the order of the slots. Borrows the groups.
std::vector<GroupPair> PairGroups(const std::vector<KeyGroup>& slots, const std::vector<KeyGroup>& keys);

// How much of two names is the same, from 0 to 1: the share of characters in their longest common piece, and so on for
// what is left and right of it (Ratcliff and Obershelp). "attn.proj" and "attention.out_proj": 18 of 27. Takes time
// cubic in the names' sizes in the worst case; of names of more than 96 bytes only the ends are compared.
double SharedPieces(absl::string_view a, absl::string_view b);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_DRAFT_PAIR_GROUPS_H_
