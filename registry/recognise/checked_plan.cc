#include "registry/recognise/checked_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/checkpoint/model_config.h"
#include "common/expression/expression.h"
#include "common/keymap/config_rule.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_mapper.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
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

bool IsUnread(const Layout& layout, const std::string& field) {
  return IsGeneralConfigField(field) || std::any_of(layout.config_unread.begin(), layout.config_unread.end(),
                                                    [&](const KeyPattern& unread) { return unread.Matches(field); });
}

absl::StatusOr<absl::optional<ConfigDifference>> FindDifference(const ConfigRule& rule, const ModelConfig& config,
                                                                const ModuleTree& tree, absl::string_view child) {
  ASSIGN_OR_RETURN(absl::optional<std::string> wanted, WantedConfig(rule, tree, child));
  const absl::optional<std::string> stated = config.Find(rule.field);
  const absl::optional<std::string>& has = stated ? stated : rule.absent;
  if (!wanted || !has || *has == *wanted) return absl::nullopt;
  return absl::make_optional(ConfigDifference{&rule, *std::move(wanted), *has, !stated.has_value()});
}

// `text`, the value of a field, as an argument in the place of `value`; nullopt if it is no number, boolean or list as
// that one.
absl::optional<std::string> AsArgument(const std::string& text, const Value& value) {
  const absl::StatusOr<Value> given = ReadArgument(text, value);
  if (!given.ok() || std::holds_alternative<TypeName>(*given) || std::holds_alternative<std::string>(*given)) {
    return absl::nullopt;
  }
  return ValueString(*given);
}

using Arguments = std::map<std::string, std::string>;

// The arguments of `entry` that config.json states otherwise; nullopt if it differs in anything else.
absl::optional<Arguments> ArgumentsByConfig(const ConfigComparison& comparison, const CatalogEntry& entry) {
  const Call& call = entry.variant->module;
  const absl::StatusOr<Scope> scope = BindArguments(entry.plugin->library->Find(call.type)->signature, call, Scope());
  if (!scope.ok()) return absl::nullopt;
  Arguments changed;
  for (const ConfigDifference& difference : comparison.differences) {
    const ConfigRule& rule = *difference.rule;
    if (!rule.is || !rule.of.empty() || !rule.names.empty() || !rule.form.empty()) return absl::nullopt;
    const auto argument = scope->find(rule.is->text());
    if (argument == scope->end()) return absl::nullopt;
    const absl::optional<std::string> text = AsArgument(difference.has, argument->second);
    if (!text) return absl::nullopt;
    changed[argument->first] = *text;
  }
  return changed;
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
  ForEachVariant<KeyMapper>(registry, checkpoint, choice,
                            [&](const KeyMapper& mapper, const CatalogEntry& entry, const ModuleTree& tree) {
                              if (!mapper.Fits(tree)) return;
                              absl::StatusOr<Plan> plan = mapper.MakePlan(tree, entry.variant->name);
                              const size_t others = plan.ok() ? plan->others : 0;
                              variants.push_back({entry, CheckPlan(mapper, entry, "", std::move(plan)), others});
                            });
  // Of a model, the backbone alone is no other model: what a smaller part fills is left out, whatever a config.json
  // says.
  size_t least = std::numeric_limits<size_t>::max();
  for (const FittingVariant& variant : variants) least = std::min(least, variant.others);
  const auto is_smaller = [least](const FittingVariant& variant) { return variant.others > least; };
  variants.erase(std::remove_if(variants.begin(), variants.end(), is_smaller), variants.end());
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
      if (!mapper->second.ok() || !mapper->second->FitsWhole(part.tree)) continue;
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

absl::StatusOr<ConfigComparison> CompareConfig(const Checkpoint& checkpoint, const CatalogEntry& entry,
                                               absl::string_view child, const Layout& layout) {
  ConfigComparison comparison;
  if (layout.config.empty()) return comparison;
  ASSIGN_OR_RETURN(const absl::optional<ModelConfig> config, ModelConfig::ReadBeside(checkpoint.path()));
  if (!config) return comparison;
  comparison.path = config->path();
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  for (const ConfigRule& rule : layout.config) {
    ASSIGN_OR_RETURN(absl::optional<ConfigDifference> difference, FindDifference(rule, *config, tree, child));
    if (difference) comparison.differences.push_back(*std::move(difference));
  }
  for (const auto& [field, value] : config->fields()) {
    if (FindConfigRule(layout.config, field) == nullptr && !IsUnread(layout, field))
      comparison.unknown.push_back(field);
  }
  return comparison;
}

std::string ConfigCure(const ConfigComparison& comparison, const CatalogEntry& entry) {
  if (comparison.differences.empty()) return "";
  const Plugin& plugin = *entry.plugin;
  const absl::optional<Arguments> changed = ArgumentsByConfig(comparison, entry);
  const Call& module = entry.variant->module;
  const std::string call = changed ? TextOfCall(plugin.library->Find(module.type)->signature, module, *changed) : "";
  std::string cure = "\n  if config.json is right, ";
  if (changed && !absl::StrContains(call, '"')) {
    absl::StrAppend(&cure, "export, package, predict and parity take --set=",
                    absl::StrJoin(*changed, ",", absl::PairFormatter("=")),
                    "\n  for a model of the catalog: a folder of --plugin_path with this plugin.yaml adds it as "
                    "--model=mine\n    family: mine\n    summary: mine\n    extends: ",
                    plugin.extends.empty() ? plugin.family : plugin.extends.front().family,
                    "\n    variants: {mine: {summary: mine, module: \"", call, "\"}}");
  } else {
    absl::StrAppend(&cure, "this is a model that the catalog lacks: docs/plugins.md, \"A fine-tune of a model\", says ",
                    "how to add it");
  }
  return absl::StrCat(cure, "\n  if it is about another file, take it away");
}

}  // namespace modelport
