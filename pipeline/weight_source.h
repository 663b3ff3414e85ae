// Where the weights of an artifact come from.
#ifndef MODELPORT_PIPELINE_WEIGHT_SOURCE_H_
#define MODELPORT_PIPELINE_WEIGHT_SOURCE_H_

#include <cstdint>
#include <string>
#include <variant>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/keymap/source_choice.h"

namespace modelport {

// Weights made up by rule, which predict nothing.
struct Seeded {
  uint64_t seed = 0;
};

// A file of weights, and what of it is meant.
struct CheckpointFile {
  std::string path;
  SourceChoice choice = {};
};

using WeightSource = std::variant<Seeded, CheckpointFile>;

// The path of the checkpoint; empty for seeded weights.
std::string CheckpointPath(const WeightSource& source);

// What a manifest calls seeded weights: "seeded:v1:SEED".
std::string SeededName(const Seeded& seeded);

// The weights of that name; nullopt for any other text.
absl::optional<Seeded> ParseSeededName(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_WEIGHT_SOURCE_H_
