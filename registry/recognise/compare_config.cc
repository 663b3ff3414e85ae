#include "registry/recognise/compare_config.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "common/checkpoint/model_config.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

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
