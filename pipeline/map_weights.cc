#include "pipeline/map_weights.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/seeded.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/published_keys.h"
#include "common/status/status_macros.h"
#include "pipeline/checked_plan.h"

namespace modelport {

absl::StatusOr<MappedWeights> MapWeights(const Registry& registry, const CatalogEntry& entry, const ModuleTree& tree,
                                         const WeightSource& source) {
  if (const auto* const file = std::get_if<CheckpointFile>(&source)) {
    ASSIGN_OR_RETURN(Checkpoint opened, OpenCheckpoint(file->path));
    return MapCheckpoint(registry, entry, tree, std::move(opened), file->choice);
  }
  const KeyMap& key_map = entry.plugin->key_map;
  Checkpoint seeded = MakeSeededCheckpoint(PublishedKeys(key_map, tree), std::get_if<Seeded>(&source)->seed);
  ASSIGN_OR_RETURN(Plan plan, MakePlan(seeded, key_map, tree, {"original"}, entry.variant->name));
  return MappedWeights{std::move(seeded), std::move(plan)};
}

absl::StatusOr<MappedWeights> MapCheckpoint(const Registry& registry, const CatalogEntry& entry, const ModuleTree& tree,
                                            Checkpoint checkpoint, const SourceChoice& choice) {
  ASSIGN_OR_RETURN(const KeyMapper mapper, KeyMapper::Make(checkpoint, entry.plugin->key_map, choice));
  absl::StatusOr<Plan> plan = MakeCheckedPlan(mapper, checkpoint, entry, tree);
  if (absl::IsFailedPrecondition(plan.status())) {
    const std::vector<std::string> fitting =
        NamesOfFitting(FindFittingVariants(registry, checkpoint, choice.state_dict));
    const bool fits_this = std::count(fitting.begin(), fitting.end(), entry.variant->name) > 0;
    const std::string hint = fitting.empty() || fits_this ? ""
                                                          : absl::StrCat("\n  it fits another model: --model=",
                                                                         absl::StrJoin(fitting, " or --model="));
    return absl::FailedPreconditionError(absl::StrCat(plan.status().message(), hint));
  }
  RETURN_IF_ERROR(plan.status());
  return MappedWeights{std::move(checkpoint), *std::move(plan)};
}

}  // namespace modelport
