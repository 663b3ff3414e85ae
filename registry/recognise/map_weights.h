#ifndef MODELPORT_REGISTRY_RECOGNISE_MAP_WEIGHTS_H_
#define MODELPORT_REGISTRY_RECOGNISE_MAP_WEIGHTS_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/comparison.h"
#include "common/keymap/plan.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"
#include "registry/recognise/assign_files.h"
#include "registry/recognise/weight_source.h"
#include "registry/registry.h"
#include "registry/weight_parts.h"

namespace modelport {

// Weights, opened and mapped onto slots; no weight is read yet.
struct MappedWeights {
  Checkpoint checkpoint;
  Plan plan;
};

// The weights of one part of a variant's tree.
struct MappedPart {
  WeightPart part;
  Checkpoint checkpoint;
  Plan plan;  // For the slots of `part.tree`.
};

// What the error of a file that does not fit `title`, which is `entry` or a part of it, adds: a line that begins with a
// newline and says what the file fits instead, or "". FittingHint of recognise_model.h looks into the catalog for it.
using MisfitHint =
    absl::FunctionRef<std::string(const CatalogEntry& entry, const std::string& title, const GivenCheckpoint& given)>;

// Opens the checkpoints, or makes the seeded weights, and plans how they fill `tree`, the variant's own of `entry`. The
// parts are in the order of its slots.
//   InvalidArgument     a file is given twice, or there are more or fewer files than parts
//   FailedPrecondition  a file does not fit, and the message has the hint; or it fills the same part as another
//   others              as OpenCheckpoint, KeyMapper::Make and CheckPlan
absl::StatusOr<std::vector<MappedPart>> MapWeights(MisfitHint hint, const CatalogEntry& entry, const ModuleTree& tree,
                                                   const WeightSource& source);

// The same for the open checkpoints `given`.
absl::StatusOr<std::vector<MappedPart>> MapGiven(MisfitHint hint, const CatalogEntry& entry, const ModuleTree& tree,
                                                 const std::vector<GivenCheckpoint>& given);

// Maps the checkpoint that fills `part` of `entry`, as MapWeights does. Calls `on_misfit` with all differences of a
// file that does not fit.
absl::StatusOr<MappedPart> MapPart(
    MisfitHint hint, const CatalogEntry& entry, WeightPart part, const GivenCheckpoint& given,
    absl::FunctionRef<void(const Comparison&)> on_misfit = [](const Comparison&) {});

// Maps one checkpoint, as MapWeights does.
absl::StatusOr<MappedWeights> MapCheckpoint(MisfitHint hint, const CatalogEntry& entry, const ModuleTree& tree,
                                            Checkpoint checkpoint, const SourceChoice& choice);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_MAP_WEIGHTS_H_
