#include "registry/recognise/checked_plan.h"

#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/checkpoint/model_config.h"
#include "common/keymap/config_field.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "registry/weight_parts.h"

namespace modelport {
namespace {

// What a config.json says of `field`, or stands for where it lacks it; nullopt if nothing.
absl::optional<std::string> Stated(const ModelConfig& config, const Layout& layout, const std::string& field) {
  const absl::optional<std::string> value = config.Find(field);
  if (value) return value;
  for (const ConfigField& known : layout.config) {
    if (known.name == field) return known.value;
  }
  return absl::nullopt;
}

absl::Status CheckConfig(const Checkpoint& checkpoint, const Variant& variant, const Layout& layout) {
  const bool is_read = !layout.config.empty() || !layout.config_fields.empty();
  if (!is_read || variant.config.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const absl::optional<ModelConfig> config, ModelConfig::ReadBeside(checkpoint.path()));
  if (!config) return absl::OkStatus();
  std::vector<std::string> contradictions;
  for (const ConfigField& wanted : variant.config) {
    const absl::optional<std::string> has = Stated(*config, layout, wanted.name);
    if (!has || *has == wanted.value) continue;
    contradictions.push_back(absl::StrCat("\n  ", wanted.name, ": ", variant.name, " wants ", wanted.value,
                                          ", config.json has ", Brief(*has)));
  }
  if (contradictions.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(checkpoint.path(), ": does not fit ", variant.name, " (layout ",
                                                    layout.name, "): keys and shapes do, but ", config->path(),
                                                    " contradicts", absl::StrJoin(contradictions, "")));
}

}  // namespace

absl::StatusOr<Plan> CheckPlan(const KeyMapper& mapper, const Variant& variant, absl::StatusOr<Plan> plan) {
  RETURN_IF_ERROR(plan.status());
  RETURN_IF_ERROR(CheckConfig(mapper.checkpoint(), variant, *mapper.key_map().Find(plan->layout)));
  return plan;
}

std::vector<FittingVariant> FindFittingVariants(const Registry& registry, const Checkpoint& checkpoint,
                                                const SourceChoice& choice) {
  std::vector<FittingVariant> variants;
  ForEachVariant<KeyMapper>(
      registry, checkpoint, choice, [&](const KeyMapper& mapper, const CatalogEntry& entry, const ModuleTree& tree) {
        if (!mapper.Fits(tree)) return;
        const Variant& variant = *entry.variant;
        variants.push_back({entry, CheckPlan(mapper, variant, mapper.MakePlan(tree, variant.name))});
      });
  return variants;
}

std::vector<std::string> NamesOfFitting(const std::vector<FittingVariant>& variants) {
  std::vector<std::string> names;
  for (const FittingVariant& variant : variants) {
    if (variant.plan.ok()) names.push_back(variant.entry.variant->name);
  }
  return names;
}

std::vector<FittingPart> FindFittingParts(const Registry& registry, const Checkpoint& checkpoint,
                                          const SourceChoice& choice) {
  std::vector<FittingPart> fitting;
  std::map<const KeyMap*, absl::StatusOr<KeyMapper>> mappers;
  for (const CatalogEntry& entry : registry.catalog()) {
    if (entry.variant->files.size() == 1) continue;
    const absl::StatusOr<ModuleTree> tree = BuildModuleTree(entry.plugin->library, entry.variant->module);
    if (!tree.ok()) continue;  // The registry admits no variant whose tree cannot be built.
    const absl::StatusOr<std::vector<WeightPart>> parts = SplitWeights(*entry.plugin, *entry.variant, *tree);
    for (size_t i = 0; parts.ok() && i < parts->size(); ++i) {
      const WeightPart& part = (*parts)[i];
      auto mapper = mappers.find(part.key_map);
      if (mapper == mappers.end()) {
        mapper = mappers.emplace(part.key_map, KeyMapper::Make(checkpoint, *part.key_map, choice)).first;
      }
      if (!mapper->second.ok() || !mapper->second->Fits(part.tree)) continue;
      fitting.push_back({entry, part.file->part, part.Title(*entry.variant)});
    }
  }
  return fitting;
}

std::vector<std::string> TitlesOf(const std::vector<FittingPart>& parts) {
  std::vector<std::string> titles;
  for (const FittingPart& part : parts) titles.push_back(part.title);
  return titles;
}

}  // namespace modelport
