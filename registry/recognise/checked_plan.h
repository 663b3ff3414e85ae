#ifndef MODELPORT_REGISTRY_RECOGNISE_CHECKED_PLAN_H_
#define MODELPORT_REGISTRY_RECOGNISE_CHECKED_PLAN_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/config_rule.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/plan.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"
#include "registry/plugin.h"
#include "registry/registry.h"

namespace modelport {

// A field of a config.json that contradicts a model.
struct ConfigDifference {
  const ConfigRule* rule;  // Of the layout.
  std::string wanted;      // The model's value.
  std::string has;         // What the file says, or means where it lacks the field.
  bool is_absent = false;
};

// What a config.json beside a checkpoint says of a model.
struct ConfigComparison {
  std::string path;  // Of the config.json; empty if there is none, or if the layout does not read it.
  std::vector<ConfigDifference> differences;  // In the order of the layout's rules.
  std::vector<std::string> unknown;           // Fields that the layout neither compares nor leaves unread.
};

// Compares the config.json in the folder of `checkpoint` with `entry`, or with the child `child` of its root if that is
// what the checkpoint fills, by the rules of `layout`. The result refers to these rules.
//   DataLoss         config.json cannot be read
//   InvalidArgument  a rule fails
absl::StatusOr<ConfigComparison> CompareConfig(const Checkpoint& checkpoint, const CatalogEntry& entry,
                                               absl::string_view child, const Layout& layout);

// What to do where no model of the catalog agrees: lines that each begin with a newline; "" if nothing differs. Where
// only arguments of the root differ, they are a plugin for the model that config.json describes.
std::string ConfigCure(const ConfigComparison& comparison, const CatalogEntry& entry);

// Checks `plan`, by which the checkpoint of `mapper` fills `entry`, or the child `child` of its root. If the layout has
// a `config`, a config.json beside the file must agree; its fields that the layout does not know are in the result.
//   FailedPrecondition  config.json contradicts: the message names both and the fields
//   others              of `plan` and of CompareConfig
absl::StatusOr<Plan> CheckPlan(const KeyMapper& mapper, const CatalogEntry& entry, absl::string_view child,
                               absl::StatusOr<Plan> plan);

// A variant of the catalog of which a checkpoint has the keys and shapes.
struct FittingVariant {
  CatalogEntry entry;
  absl::StatusOr<Plan> plan;  // Of CheckPlan.
  size_t others = 0;          // The keys of the dictionary beside those of the part that it is.
};

// All such variants, for a layout and a dictionary of `checkpoint` that `choice` admits.
std::vector<FittingVariant> FindFittingVariants(const Registry& registry, const Checkpoint& checkpoint,
                                                const SourceChoice& choice);

// The names of those that the checkpoint fits without changes.
std::vector<std::string> NamesOfFitting(const std::vector<FittingVariant>& variants);

// Calls visit(reader, entry, tree) for each variant of the catalog, in its order. `reader` is
// Reader::Make(checkpoint, key_map, choice) of the variant's plugin; it is made once for a plugin and lives until the
// next plugin's is made. Skips plugins of which Make fails, such as those that do not have the layout of `choice`.
template <typename Reader, typename Visit>
void ForEachVariant(const Registry& registry, const Checkpoint& checkpoint, const SourceChoice& choice, Visit&& visit) {
  const Plugin* plugin = nullptr;
  absl::optional<Reader> reader;
  for (const CatalogEntry& entry : registry.catalog()) {
    if (entry.plugin != plugin) {
      plugin = entry.plugin;
      reader.reset();
      if (auto made = Reader::Make(checkpoint, plugin->key_map, choice); made.ok()) reader = *std::move(made);
    }
    if (!reader) continue;
    const absl::StatusOr<ModuleTree> tree = BuildModuleTree(plugin->library, entry.variant->module);
    if (tree.ok()) visit(*reader, entry, *tree);  // The registry admits no variant whose tree cannot be built.
  }
}

// A part of a variant of several files, of which a checkpoint has the keys and shapes.
struct FittingPart {
  CatalogEntry entry;
  std::string part;   // The child of the root: "linear_head".
  std::string title;  // "linear_head of dinov2_vits14_lc1".
};

// All such parts, in the order of the catalog, for a layout and a dictionary of `checkpoint` that `choice` admits.
std::vector<FittingPart> FindFittingParts(const Registry& registry, const Checkpoint& checkpoint,
                                          const SourceChoice& choice);

std::vector<std::string> TitlesOf(const std::vector<FittingPart>& parts);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_RECOGNISE_CHECKED_PLAN_H_
