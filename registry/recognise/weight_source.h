// Where the weights of an artifact come from.
#ifndef MODELPORT_REGISTRY_RECOGNISE_WEIGHT_SOURCE_H_
#define MODELPORT_REGISTRY_RECOGNISE_WEIGHT_SOURCE_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/keymap/source_choice.h"

namespace modelport {

// Weights that a rule makes from a seed (common/checkpoint/seeded.h). They predict nothing.
struct Seeded {
  uint64_t seed = 0;
};

// A file of weights, and which layout and state dict to take of it.
struct CheckpointFile {
  std::string path;
  SourceChoice choice = {};
};

// The files that fill a variant, in any order.
using CheckpointFiles = std::vector<CheckpointFile>;

using WeightSource = std::variant<Seeded, CheckpointFiles>;

// The paths of the checkpoints; none for seeded weights.
std::vector<std::string> CheckpointPaths(const WeightSource& source);

// The name of seeded weights in a manifest: "seeded:v1:SEED".
std::string SeededName(const Seeded& seeded);

// The seeded weights of that name; nullopt for any other text.
absl::optional<Seeded> ParseSeededName(absl::string_view name);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_WEIGHT_SOURCE_H_
