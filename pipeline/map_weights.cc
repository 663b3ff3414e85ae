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

namespace modelport {
namespace {

// The mapper of each plugin is made once, and one at a time.
class VariantFinder {
 public:
  VariantFinder(const Checkpoint& checkpoint, const absl::optional<std::string>& state_dict)
      : checkpoint_(checkpoint), choice_{"auto", state_dict} {}

  bool Fits(const CatalogEntry& entry) {
    if (entry.plugin != plugin_) {
      plugin_ = entry.plugin;
      mapper_.reset();
      if (auto mapper = KeyMapper::Make(checkpoint_, plugin_->key_map, choice_); mapper.ok())
        mapper_ = *std::move(mapper);
    }
    if (!mapper_) return false;
    const auto tree = BuildModuleTree(entry.plugin->library, entry.variant->module);
    return tree.ok() && mapper_->Fits(*tree);
  }

 private:
  const Checkpoint& checkpoint_;
  const SourceChoice choice_;
  const Plugin* plugin_ = nullptr;
  absl::optional<KeyMapper> mapper_;
};

}  // namespace

std::vector<std::string> FittingVariants(const Registry& registry, const Checkpoint& checkpoint,
                                         const absl::optional<std::string>& state_dict) {
  VariantFinder finder(checkpoint, state_dict);
  std::vector<std::string> names;
  for (const CatalogEntry& entry : registry.catalog()) {
    if (finder.Fits(entry)) names.push_back(entry.variant->name);
  }
  return names;
}

absl::StatusOr<MappedWeights> MapWeights(const Registry& registry, const CatalogEntry& entry,
                                         const WeightSource& source) {
  if (const auto* const file = std::get_if<CheckpointFile>(&source)) {
    ASSIGN_OR_RETURN(Checkpoint opened, OpenCheckpoint(file->path));
    return MapCheckpoint(registry, entry, std::move(opened), file->choice);
  }
  const Plugin& plugin = *entry.plugin;
  ASSIGN_OR_RETURN(ModuleTree tree, BuildModuleTree(plugin.library, entry.variant->module));
  Checkpoint seeded = MakeSeededCheckpoint(PublishedKeys(plugin.key_map, tree), std::get_if<Seeded>(&source)->seed);
  ASSIGN_OR_RETURN(Plan plan, MakePlan(seeded, plugin.key_map, tree, {"original"}, entry.variant->name));
  return MappedWeights(std::move(tree), std::move(seeded), std::move(plan));
}

absl::StatusOr<MappedWeights> MapCheckpoint(const Registry& registry, const CatalogEntry& entry, Checkpoint checkpoint,
                                            const SourceChoice& choice) {
  ASSIGN_OR_RETURN(ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  absl::StatusOr<Plan> plan = MakePlan(checkpoint, entry.plugin->key_map, tree, choice, entry.variant->name);
  if (absl::IsFailedPrecondition(plan.status())) {
    const std::vector<std::string> fitting = FittingVariants(registry, checkpoint, choice.state_dict);
    const bool fits_this = std::count(fitting.begin(), fitting.end(), entry.variant->name) > 0;
    const std::string hint = fitting.empty() || fits_this ? ""
                                                          : absl::StrCat("\n  it fits another model: --model=",
                                                                         absl::StrJoin(fitting, " or --model="));
    return absl::FailedPreconditionError(absl::StrCat(plan.status().message(), hint));
  }
  RETURN_IF_ERROR(plan.status());
  return MappedWeights(std::move(tree), std::move(checkpoint), *std::move(plan));
}

}  // namespace modelport
