#include "registry/recognise/checked_plan.h"

#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/keymap/config_rule.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "registry/recognise/compare_config.h"
#include "registry/weight_parts.h"

namespace modelport {
namespace {

// "max_depth: model_large wants 20, config.json has 80", and on a line below what the plugin says of it.
std::string DifferenceText(const ConfigDifference& difference, const Variant& variant) {
  const std::string& otherwise = difference.rule->otherwise;
  return absl::StrCat(difference.rule->field, ": ", variant.name, " wants ", difference.wanted, ", config.json ",
                      difference.is_absent ? "lacks it, which means " : "has ", Brief(difference.has),
                      otherwise.empty() ? "" : "\n    ", otherwise);
}

}  // namespace

absl::StatusOr<Plan> CheckPlan(const KeyMapper& mapper, const CatalogEntry& entry, absl::string_view child,
                               absl::StatusOr<Plan> plan) {
  RETURN_IF_ERROR(plan.status());
  const Variant& variant = *entry.variant;
  const std::string& path = mapper.checkpoint().path();
  const Layout& layout = *mapper.key_map().Find(plan->layout);
  ASSIGN_OR_RETURN(ConfigComparison comparison, CompareConfig(mapper.checkpoint(), entry, child, layout));
  plan->unknown_config = std::move(comparison.unknown);
  if (comparison.differences.empty()) return plan;
  std::vector<std::string> lines;
  for (const ConfigDifference& difference : comparison.differences) {
    lines.push_back(DifferenceText(difference, variant));
  }
  return absl::FailedPreconditionError(absl::StrCat(path, ": does not fit ", variant.name, " (layout ", layout.name,
                                                    "): keys and shapes do, but ", comparison.path, " contradicts",
                                                    FirstFewLines(lines, "  ")));
}

std::vector<FittingVariant> FindFittingVariants(const Registry& registry, const Checkpoint& checkpoint,
                                                const SourceChoice& choice) {
  std::vector<FittingVariant> variants;
  ForEachVariant<KeyMapper>(
      registry, checkpoint, choice, [&](const KeyMapper& mapper, const CatalogEntry& entry, const ModuleTree& tree) {
        if (!mapper.Fits(tree)) return;
        variants.push_back({entry, CheckPlan(mapper, entry, "", mapper.MakePlan(tree, entry.variant->name))});
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
