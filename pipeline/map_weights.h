#ifndef MODELPORT_PIPELINE_MAP_WEIGHTS_H_
#define MODELPORT_PIPELINE_MAP_WEIGHTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/plan.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"
#include "pipeline/weight_source.h"
#include "registry/registry.h"

namespace modelport {

// A variant's weights, opened and mapped onto its module tree; no weight is read yet.
struct MappedWeights {
  Checkpoint checkpoint;
  Plan plan;
};

// Opens the checkpoint, or makes the seeded weights, and plans how they fill `tree`, the variant's own of `entry`.
//   FailedPrecondition  the file does not fit; if it fits another variant of the catalog, the message names that one
//   others              as OpenCheckpoint, KeyMapper::Make and MakeCheckedPlan
absl::StatusOr<MappedWeights> MapWeights(const Registry& registry, const CatalogEntry& entry, const ModuleTree& tree,
                                         const WeightSource& source);

// The same for a checkpoint that is open.
absl::StatusOr<MappedWeights> MapCheckpoint(const Registry& registry, const CatalogEntry& entry, const ModuleTree& tree,
                                            Checkpoint checkpoint, const SourceChoice& choice);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_MAP_WEIGHTS_H_
