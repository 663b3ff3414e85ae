#ifndef MODELPORT_PIPELINE_MAP_WEIGHTS_H_
#define MODELPORT_PIPELINE_MAP_WEIGHTS_H_

#include <string>
#include <utility>
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
  MappedWeights(ModuleTree tree, Checkpoint checkpoint, Plan plan)
      : tree(std::move(tree)), checkpoint(std::move(checkpoint)), plan(std::move(plan)) {}
  // A copy's plan would borrow from the original's checkpoint. What is moved keeps its place in memory.
  MappedWeights(MappedWeights&&) = default;
  MappedWeights& operator=(MappedWeights&&) = default;

  ModuleTree tree;
  Checkpoint checkpoint;
  Plan plan;  // Borrows from `checkpoint`.
};

// Opens the checkpoint, or makes the seeded weights, and plans how they fill `entry`'s tree. If the file does not fit
// this variant but another one of the catalog, the error names that one.
absl::StatusOr<MappedWeights> MapWeights(const Registry& registry, const CatalogEntry& entry,
                                         const WeightSource& source);

// The same for a checkpoint that is open.
absl::StatusOr<MappedWeights> MapCheckpoint(const Registry& registry, const CatalogEntry& entry, Checkpoint checkpoint,
                                            const SourceChoice& choice);

// Variants of the catalog that a dictionary of `checkpoint`, or the one at `state_dict`, fits as it is.
std::vector<std::string> FittingVariants(const Registry& registry, const Checkpoint& checkpoint,
                                         const absl::optional<std::string>& state_dict);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_MAP_WEIGHTS_H_
