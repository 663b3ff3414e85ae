#ifndef MODELPORT_COMMON_KEYMAP_CONVERSION_H_
#define MODELPORT_COMMON_KEYMAP_CONVERSION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/keymap/key_pattern.h"
#include "common/operation/operation.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// Slots that `operations` make of keys: blocks.{i}.attn.qkv.{leaf} is concatenate(0) of the keys of query, key and
// value.
struct Conversion {
  std::vector<KeyPattern> slots;      // Their placeholders bind those of `keys`.
  std::vector<KeyPattern> keys;       // After stripping and renaming.
  std::vector<Operation> operations;  // None: each slot takes the key with its index.
  // The operations that take the slots back to the keys. Meaningless if `one_way` is not empty.
  std::vector<Operation> inverse;
  std::string one_way;              // Why the slots cannot be taken back to the keys; empty: they can.
  absl::optional<KeyPattern> when;  // The rule applies to files with a key that matches.
  YamlMark mark;
};

// Parses an item of `sources`:
//   {slot: "blocks.{i}.attn.qkv.{leaf}", key: "layer.{i}.{query,key,value}.{leaf}", by: concatenate(0)}
// `{a,b}` in a pattern stands for several patterns, in this order. Adds nothing to `conversions` after a problem. A
// rule that has no inverse and no `one_way` is one.
void ParseConversion(const YamlValue& item, std::vector<Conversion>* conversions, YamlProblems* problems);

// The patterns that `text` stands for: "layer{1,2}_rn.{leaf}" for "layer1_rn.{leaf}" and "layer2_rn.{leaf}". The last
// of several alternatives varies fastest. InvalidArgument: unbalanced braces, an empty alternative, or more than 100
// patterns.
absl::StatusOr<std::vector<std::string>> ExpandAlternatives(absl::string_view text);

}  // namespace modelport

#endif  // MODELPORT_COMMON_KEYMAP_CONVERSION_H_
