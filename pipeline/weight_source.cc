#include "pipeline/weight_source.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/seeded.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

bool Fits(const Checkpoint& checkpoint, const CatalogEntry& entry) {
  const auto tree = BuildModuleTree(entry.plugin->library, entry.variant->module);
  return tree.ok() && MakePlan(checkpoint, entry.plugin->key_map, *tree, "auto", entry.variant->name).ok();
}

}  // namespace

std::vector<std::string> FittingVariants(const Registry& registry, const Checkpoint& checkpoint) {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : registry.catalog()) {
    if (Fits(checkpoint, entry)) names.push_back(entry.variant->name);
  }
  return names;
}

absl::StatusOr<MappedWeights> MapWeights(const Registry& registry, const CatalogEntry& entry,
                                         const std::string& checkpoint, uint64_t seed, const std::string& layout) {
  const Plugin& plugin = *entry.plugin;
  ASSIGN_OR_RETURN(ModuleTree tree, BuildModuleTree(plugin.library, entry.variant->module));
  if (checkpoint.empty()) {
    Checkpoint seeded = MakeSeededCheckpoint(PublishedKeys(plugin.key_map, tree), seed);
    ASSIGN_OR_RETURN(Plan plan, MakePlan(seeded, plugin.key_map, tree, "original", entry.variant->name));
    return MappedWeights(std::move(tree), std::move(seeded), std::move(plan));
  }
  ASSIGN_OR_RETURN(Checkpoint opened, OpenCheckpoint(checkpoint));
  absl::StatusOr<Plan> plan = MakePlan(opened, plugin.key_map, tree, layout, entry.variant->name);
  if (absl::IsFailedPrecondition(plan.status())) {
    const std::vector<std::string> fitting = FittingVariants(registry, opened);
    const std::string hint =
        fitting.empty() ? ""
                        : absl::StrCat("\n  it fits another model: --model=", absl::StrJoin(fitting, " or --model="));
    return absl::FailedPreconditionError(absl::StrCat(plan.status().message(), hint));
  }
  RETURN_IF_ERROR(plan.status());
  return MappedWeights(std::move(tree), std::move(opened), *std::move(plan));
}

}  // namespace modelport
