#include "pipeline/nearest_variant.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/likeness.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"
#include "pipeline/each_variant.h"

namespace modelport {
namespace {

constexpr double kLeastShare = 0.25;

// What keeps `checkpoint` from fitting `entry`.
std::string Differences(const CatalogEntry& entry, const Checkpoint& checkpoint, const SourceChoice& choice) {
  const absl::StatusOr<ModuleTree> tree = BuildModuleTree(entry.plugin->library, entry.variant->module);
  if (!tree.ok()) return "";
  const absl::Status status = MakePlan(checkpoint, entry.plugin->key_map, *tree, choice, entry.variant->name).status();
  return std::string(absl::StripPrefix(status.message(),
                                       absl::StrCat(checkpoint.path(), ": does not fit ", entry.variant->name, " ")));
}

}  // namespace

absl::optional<NearestVariant> FindNearestVariant(const Registry& registry, const Checkpoint& checkpoint,
                                                  const absl::optional<std::string>& state_dict) {
  absl::optional<CatalogEntry> nearest;
  Likeness::Score best{kLeastShare, ""};
  ForEachVariant<Likeness>(registry, checkpoint, {"auto", state_dict},
                           [&](const Likeness& likeness, const CatalogEntry& entry, const ModuleTree& tree) {
                             const Likeness::Score score = likeness.Of(tree);
                             if (score.share <= best.share) return;
                             best = score;
                             nearest = entry;
                           });
  if (!nearest) return absl::nullopt;
  return NearestVariant{nearest->variant->name, Differences(*nearest, checkpoint, {best.layout, state_dict})};
}

}  // namespace modelport
