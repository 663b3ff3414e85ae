#include "tools/new_plugin/draft_plugin.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/io/output_file.h"
#include "common/io/output_folder.h"
#include "common/keymap/key_mapper.h"
#include "common/keymap/layout_reading.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"
#include "common/module_tree/tree_budget.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/text/printable.h"
#include "common/text/template.h"
#include "common/yaml/document.h"
#include "registry/catalog_rules.h"
#include "registry/link_plugins.h"
#include "registry/plugin.h"
#include "registry/plugin_folder.h"
#include "tools/draft/draft_layout.h"
#include "tools/draft/key_tree.h"
#include "tools/new_plugin/draft_types.h"
#include "tools/new_plugin/templates.h"

namespace modelport {
namespace {

using Plugins = std::vector<std::unique_ptr<const Plugin>>;

// The most tensors without elements. A key map compares each of them with every key.
constexpr size_t kMaxEmpty = 100;

// The most dictionaries that lead to the one that is taken.
constexpr int64_t kMaxSteps = 100;

// The prefixes that training tools put in front of every key.
constexpr absl::string_view kTrainingPrefixes[] = {"module.", "_orig_mod."};

// Whether a new plugin can have `name`.
absl::Status CheckName(const Plugins& built_in, const std::string& name) {
  RETURN_IF_ERROR(CheckCatalogName("--name", name));
  for (const auto& plugin : built_in) {
    const bool has_variant = std::any_of(plugin->variants.begin(), plugin->variants.end(),
                                         [&](const Variant& variant) { return variant.name == name; });
    if (plugin->family != name && !has_variant) continue;
    return absl::AlreadyExistsError(absl::StrCat("--name=", name, ": ", plugin->path, " has a ",
                                                 has_variant ? "variant" : "family", " of this name"));
  }
  return absl::OkStatus();
}

// The names of the types that every draft can use, so that its own cannot have them.
std::vector<std::string> NamesOfLayers(const Plugins& built_in) {
  const auto layers =
      std::find_if(built_in.begin(), built_in.end(), [](const auto& plugin) { return plugin->family == "layers"; });
  return layers == built_in.end() ? std::vector<std::string>() : (*layers)->library->names();
}

// The template `name`, filled in.
absl::StatusOr<std::string> Fill(absl::string_view name, const TemplateData& data) {
  ASSIGN_OR_RETURN(const absl::string_view text, FindEmbedded(DraftTemplates(), name));
  return FillTemplate(text, data, [](absl::string_view value) { return std::string(value); });
}

// Links the plugin of `draft` with `built_in`, compares `checkpoint`, if there is one, with its only variant and adds
// the BUILD file.
absl::Status Check(const BuiltIn& built_in, const std::string& name, const Checkpoint* checkpoint,
                   const absl::optional<std::string>& state_dict, PluginDraft* draft) {
  PluginFolder folder{name, {}};
  for (const PluginDraft::File& file : draft->files) {
    if (file.text.size() > kMaxYamlSize) {
      return absl::InvalidArgumentError(absl::StrCat(name, "/", file.name, ": a draft of ", file.text.size(),
                                                     " bytes, more than the ", kMaxYamlSize,
                                                     " of a plugin's file: these are not the keys of one model"));
    }
    folder.files.push_back({absl::StrCat(name, "/", file.name), file.text});
  }
  ASSIGN_OR_RETURN(const Plugins plugins, LinkPlugins(GroupByFolder(*built_in), {folder}));
  const Plugin& plugin =
      **std::find_if(plugins.begin(), plugins.end(), [&](const auto& p) { return p->family == name; });
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(plugin.library, plugin.variants[0].module));
  if (checkpoint != nullptr) {
    RETURN_IF_ERROR(MakePlan(*checkpoint, plugin.key_map, tree, {"auto", state_dict}, name).status());
  }
  draft->tensors = tree.slots.size();
  for (const Slot& slot : tree.slots) draft->parameters += *ElementCount(slot.shape);
  TemplateData data;
  data.values = {{"name", name}};
  data.lists["large"] = KeepIf(IsLarge(tree));
  data.lists["small"] = KeepIf(!IsLarge(tree));
  ASSIGN_OR_RETURN(std::string build, Fill("BUILD.template", data));
  draft->files.push_back({"BUILD", std::move(build)});
  return absl::OkStatus();
}

// The keys of `dict` without the prefixes that training tools added to all of them, which are noted in `rules`.
std::shared_ptr<const SourceKeys> StripKeys(const StateDict& dict, DraftedRules* rules) {
  Layout layout;
  std::shared_ptr<const SourceKeys> keys = RenameKeys(layout, dict);
  for (size_t i = 0; i < std::size(kTrainingPrefixes);) {
    const absl::string_view prefix = kTrainingPrefixes[i];
    const bool is_common = std::all_of(keys->keys.begin(), keys->keys.end(), [&](const SourceKey& key) {
      return absl::StartsWith(key.name, prefix) && key.name.size() > prefix.size();
    });
    layout.strip.emplace_back(prefix);
    std::shared_ptr<const SourceKeys> stripped = is_common ? RenameKeys(layout, dict) : nullptr;
    if (stripped == nullptr || !stripped->collisions.empty()) {
      layout.strip.pop_back();
      ++i;
      continue;
    }
    keys = std::move(stripped);
    i = 0;  // Stripped of one, all keys may begin with the other.
  }
  rules->strip = layout.strip;
  return keys;
}

// The dictionaries that lead to the one at `path`, as `unwrap` lists them.
std::vector<std::string> Steps(const std::string& path) {
  std::vector<std::string> steps;
  for (const absl::string_view step : absl::StrSplit(path, '.', absl::SkipEmpty())) {
    if (std::find(steps.begin(), steps.end(), step) == steps.end()) steps.emplace_back(step);
  }
  return steps;
}

bool HasIndex(absl::string_view key) {
  const std::vector<absl::string_view> parts = absl::StrSplit(key, '.');
  return std::any_of(parts.begin(), parts.end(), [](absl::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), absl::ascii_isdigit);
  });
}

// The keys that need a slot. Fills in the keys by which a layout is recognised, and those without elements.
absl::StatusOr<std::vector<SourceKey>> SlotKeys(const SourceKeys& keys, DraftedRules* rules) {
  std::vector<SourceKey> slots;
  for (const SourceKey& key : keys.keys) {
    const Shape& shape = key.tensor->shape;
    if (std::count(shape.begin(), shape.end(), 0) > 0) {
      rules->empty.emplace_back(key.name);
    } else {
      slots.push_back(key);
    }
  }
  if (slots.empty()) return absl::InvalidArgumentError("no tensor has elements");
  if (rules->empty.size() > kMaxEmpty) {
    return absl::InvalidArgumentError(absl::StrCat("more than ", kMaxEmpty, " tensors without elements"));
  }
  rules->keys.emplace_back(slots.front().name);
  const auto indexed =
      std::find_if(slots.begin(), slots.end(), [](const SourceKey& key) { return HasIndex(key.name); });
  if (indexed != slots.end()) rules->keys.emplace_back(indexed->name);
  rules->keys.emplace_back(slots.back().name);
  return slots;
}

// The files but for BUILD. `taken` are names of module types.
absl::StatusOr<PluginDraft> DraftFiles(const std::string& name, const std::vector<std::string>& taken,
                                       const Checkpoint& checkpoint, const absl::optional<std::string>& state_dict) {
  ASSIGN_OR_RETURN(const StateDict* const dict, ChooseDict(checkpoint, state_dict));
  if (dict->tensors.size() > TreeBudget::kMembers) {
    return absl::InvalidArgumentError(
        absl::StrCat(dict->tensors.size(), " tensors, more than the ", TreeBudget::kMembers, " of a model"));
  }
  if (std::count(dict->path.begin(), dict->path.end(), '.') >= kMaxSteps) {
    return absl::InvalidArgumentError(absl::StrCat("the dictionary ", Brief(dict->path), " lies within more than ",
                                                   kMaxSteps, " others\n  --state_dict=PATH takes another one"));
  }
  DraftedRules rules;
  rules.unwrap = Steps(dict->path);
  const std::shared_ptr<const SourceKeys> keys = StripKeys(*dict, &rules);
  ASSIGN_OR_RETURN(const std::vector<SourceKey> slots, SlotKeys(*keys, &rules));
  ASSIGN_OR_RETURN(const KeyTree tree, GroupKeys(slots));
  DraftedTypes types = DraftTypes(tree.root, taken, TypeNameOf(name));
  rules.lacks_counters = types.lacks_counters;

  const std::string& path = checkpoint.path();
  const std::string file = Printable(path.substr(path.rfind('/') + 1));
  TemplateData data;
  data.values = {{"name", name}, {"module", types.root + "()"}, {"file", file}, {"quoted_file", YamlQuoted(file)}};
  data.verbatim = {{"types", std::move(types.yaml)}};
  ASSIGN_OR_RETURN(std::string plugin, Fill("plugin.yaml", data));
  ASSIGN_OR_RETURN(std::string modules, Fill("drafted_modules.yaml", data));
  PluginDraft draft;
  draft.state_dict = DictFlag(dict->path);
  for (const StateDict& other : checkpoint.state_dicts()) {
    if (&other != dict) draft.other_state_dicts.push_back(DictFlag(other.path));
  }
  draft.types = types.count;
  draft.files = {{"plugin.yaml", std::move(plugin)},
                 {"modules.yaml", std::move(modules)},
                 {"keymap.yaml", KeyMapText(rules, tree)}};
  return draft;
}

bool IsItem(absl::string_view line) {
  return line.size() > 7 && absl::StartsWith(line, "    \"") && absl::EndsWith(line, "\",");
}

}  // namespace

absl::StatusOr<PluginDraft> StarterPlugin(const BuiltIn& built_in, const std::string& name) {
  RETURN_IF_ERROR(built_in.status());
  ASSIGN_OR_RETURN(const Plugins plugins, LinkPlugins(GroupByFolder(*built_in), {}));
  RETURN_IF_ERROR(CheckName(plugins, name));
  const std::string root = TypeNameOf(name);
  TemplateData data;
  data.values = {{"name", name},
                 {"root", root},
                 {"module", root + "(dim=8, depth=2)"},
                 {"quoted_file", YamlQuoted(name + ".pth")}};
  PluginDraft draft;
  draft.types = 2;
  for (const absl::string_view file : {"plugin.yaml", "modules.yaml", "keymap.yaml"}) {
    const std::string source = file == "plugin.yaml" ? std::string(file) : absl::StrCat("starter_", file);
    ASSIGN_OR_RETURN(std::string text, Fill(source, data));
    draft.files.push_back({std::string(file), std::move(text)});
  }
  RETURN_IF_ERROR(Check(built_in, name, nullptr, absl::nullopt, &draft));
  return draft;
}

absl::StatusOr<PluginDraft> DraftPlugin(const BuiltIn& built_in, const std::string& name, const Checkpoint& checkpoint,
                                        const absl::optional<std::string>& state_dict) {
  RETURN_IF_ERROR(built_in.status());
  ASSIGN_OR_RETURN(const Plugins plugins, LinkPlugins(GroupByFolder(*built_in), {}));
  RETURN_IF_ERROR(CheckName(plugins, name));
  absl::StatusOr<PluginDraft> draft = DraftFiles(name, NamesOfLayers(plugins), checkpoint, state_dict);
  if (!draft.ok()) return Annotate(draft.status(), checkpoint.path());
  RETURN_IF_ERROR(Check(built_in, name, &checkpoint, state_dict, &*draft));
  return draft;
}

void NameSchemas(const std::string& schemas, PluginDraft* draft) {
  for (PluginDraft::File& file : draft->files) {
    absl::string_view stem = file.name;
    if (!absl::ConsumeSuffix(&stem, ".yaml")) continue;
    file.text = absl::StrCat("# yaml-language-server: $schema=", schemas, "/", stem, ".schema.json\n", file.text);
  }
}

void LoadRulesFrom(absl::string_view modelport, PluginDraft* draft) {
  for (PluginDraft::File& file : draft->files) {
    if (file.name == "BUILD")
      absl::StrReplaceAll({{"load(\"//", absl::StrCat("load(\"", modelport, "//")}}, &file.text);
  }
}

absl::Status WritePlugin(const PluginDraft& draft, const std::string& path) {
  ASSIGN_OR_RETURN(OutputFolder folder, OutputFolder::Create(path));
  for (const PluginDraft::File& file : draft.files) {
    RETURN_IF_ERROR(OutputFile::WriteWhole(absl::StrCat(folder.partial_path(), "/", file.name), file.text));
  }
  return folder.Commit();
}

absl::StatusOr<bool> ListPlugin(const std::string& path, const std::string& family) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const absl::optional<std::string> listed = AddToPluginList(text, family);
  if (!listed) return false;
  RETURN_IF_ERROR(OutputFile::WriteWhole(path, *listed));
  return true;
}

absl::optional<std::string> AddToPluginList(absl::string_view text, absl::string_view family) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const auto begin = std::find(lines.begin(), lines.end(), "PLUGINS = [");
  if (begin == lines.end()) return absl::nullopt;
  const auto end = std::find(begin, lines.end(), "]");
  if (end == lines.end() || !std::all_of(begin + 1, end, IsItem)) return absl::nullopt;
  std::string item = absl::StrCat("    \"", family, "\",");
  if (std::find(begin + 1, end, item) == end) {
    // Starlark sorts names, which end before their quotes.
    const auto name = [](absl::string_view line) { return line.substr(5, line.size() - 7); };
    const auto after = std::find_if(begin + 1, end, [&](const std::string& line) { return name(line) > family; });
    lines.insert(after, std::move(item));
  }
  return absl::StrJoin(lines, "\n");
}

}  // namespace modelport
