// Seeded weights, rule v1: numbers computed from a key's name, its shape and a seed alone, the same to the bit in every
// programming language.
#ifndef MODELPORT_COMMON_CHECKPOINT_SEEDED_H_
#define MODELPORT_COMMON_CHECKPOINT_SEEDED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/seeded_numbers.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {

// Fills `out` with float32(center + spread * u_i), u_i in [-1, 1) from `key`, `seed` and the index i. Inputs of golden
// tests use it with an explicit center and spread: SeededFill("input:image", 0, 0.0, 1.0, out).
void SeededFill(absl::string_view key, uint64_t seed, double center, double spread, absl::Span<float> out);

// The rule for weights: center and spread follow from the key's last dotted part and the rank of its tensor, which is
// floating. nullopt: zeros.
absl::optional<SeededDistribution> SeededRule(absl::string_view key, const Shape& shape);

// Fills `out`, the row-major elements of a tensor of `shape`, by the rule for weights.
void SeededWeights(absl::string_view key, const Shape& shape, uint64_t seed, absl::Span<float> out);

// A key to fill: a float32 tensor by the rule, one that is not floating with zeros. No other floating dtype is allowed.
struct SeededKey {
  std::string key;
  Shape shape;
  DType dtype = DType::kFloat32;
};

// A checkpoint in memory that holds `keys` with seeded weights. Its path() is "seeded:v1:SEED".
Checkpoint MakeSeededCheckpoint(const std::vector<SeededKey>& keys, uint64_t seed);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_SEEDED_H_
