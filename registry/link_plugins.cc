#include "registry/link_plugins.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "common/digest/sha256.h"
#include "common/keymap/key_map.h"
#include "common/module_tree/check_types.h"
#include "common/module_tree/module_library.h"
#include "common/text/nearest.h"
#include "common/yaml/problems.h"
#include "registry/check_plugin.h"
#include "registry/link_key_map.h"
#include "registry/parse_plugin.h"

namespace modelport {
namespace {

// The folder in which every artifact names the files of plugins, wherever they lie, so that its bytes do not depend on
// that.
constexpr absl::string_view kNamesFolder = "models/";

// Whether two folders have the same files, wherever they lie.
bool HasSameTexts(const PluginFolder& a, const PluginFolder& b) {
  return std::equal(
      a.files.begin(), a.files.end(), b.files.begin(), b.files.end(),
      [](const YamlFile& x, const YamlFile& y) { return FileName(x) == FileName(y) && x.text == y.text; });
}

class PluginLinker {
 public:
  void AddFolder(const PluginFolder& folder, bool is_replacement);
  absl::StatusOr<std::vector<std::unique_ptr<const Plugin>>> Link();

 private:
  enum class State { kParsed, kLinking, kLinked, kFailed };
  struct Entry {
    const PluginFolder* folder;
    Plugin plugin;
    bool is_replacement = false;
    // Whether CheckPlugin has nothing to find: a test made sure of that for the texts that come with the program.
    bool is_checked = false;
    State state = State::kParsed;
    std::map<std::string, absl::string_view> modules_files;  // Name with family -> text, with those of used families.
  };

  bool LinkEntry(Entry* entry);
  bool LinkFamilies(Entry* entry, ModuleLibrary* library);
  Entry* FindLinked(const FamilyReference& reference);
  bool AddModules(Entry* entry, ModuleLibrary* library);
  bool AddKeyMap(Entry* entry);
  std::string FamilyOf(absl::string_view type);
  bool CheckRoots(const Plugin& plugin);
  bool CheckRoot(const Call& root, const Plugin& plugin, const YamlMark& mark);
  bool CheckParts(const Plugin& plugin);
  bool CheckArgumentRules(const Plugin& plugin);
  bool CheckNames(const Expression& expression, const ModuleType& type, const Plugin& plugin, const YamlMark& mark);
  bool CheckArgument(const std::string& name, const ModuleType& type, const YamlMark& mark);
  bool LinkWrapper(Wrapper& wrapper, const Plugin& plugin);
  static void TakeOver(const Plugin& extended, Plugin* plugin);
  static void AddDigest(Entry* entry);
  void CheckVariantNames();

  // Returns whether `status` is OK. If not, records the failure.
  bool Passes(const absl::Status& status);
  bool Fails(const YamlMark& mark, absl::string_view message);

  std::map<std::string, Entry> entries_;                               // By family.
  std::map<std::string, std::string, std::less<>> families_of_types_;  // By type; filled by FamilyOf.
  std::vector<std::string> linking_;  // The families being linked; each uses or extends the next.
  std::vector<absl::Status> failures_;
  bool all_parsed_ = true;
};

void PluginLinker::AddFolder(const PluginFolder& folder, bool is_replacement) {
  const YamlFile* file = folder.Find("plugin.yaml");
  if (file == nullptr) {
    Fails({}, absl::StrCat(folder.path, ": has no plugin.yaml"));
    return;
  }
  absl::StatusOr<Plugin> plugin = ParsePlugin(*file);
  if (!Passes(plugin.status())) return;
  plugin->path = folder.path;
  plugin->place = folder.place;
  Entry entry{&folder, *std::move(plugin), is_replacement, !is_replacement, State::kParsed, {}};
  const std::string family = entry.plugin.family;
  const auto same = entries_.find(family);
  if (same == entries_.end()) {
    entries_.emplace(family, std::move(entry));
  } else if (is_replacement && !same->second.is_replacement) {
    entry.is_checked = HasSameTexts(folder, *same->second.folder);
    same->second = std::move(entry);
  } else {
    Fails({}, absl::StrCat(folder.path, ": family ", family, " is already in ", same->second.plugin.path));
  }
}

absl::StatusOr<std::vector<std::unique_ptr<const Plugin>>> PluginLinker::Link() {
  all_parsed_ = failures_.empty();
  for (auto& [family, entry] : entries_) LinkEntry(&entry);
  CheckVariantNames();
  if (!failures_.empty()) return JoinStatuses("plugins", failures_);
  std::vector<std::unique_ptr<const Plugin>> plugins;
  for (auto& [family, entry] : entries_) plugins.push_back(std::make_unique<const Plugin>(std::move(entry.plugin)));
  return plugins;
}

bool PluginLinker::LinkEntry(Entry* entry) {
  if (entry->state == State::kLinked || entry->state == State::kFailed) return entry->state == State::kLinked;
  entry->state = State::kLinking;
  linking_.push_back(entry->plugin.family);
  auto library = std::make_shared<ModuleLibrary>();
  // Each step reports its own problems even if others failed. Only the checks need every type.
  bool linked = LinkFamilies(entry, library.get());
  linked = AddModules(entry, library.get()) && linked;
  linked = AddKeyMap(entry) && linked;
  linked = linked && Passes(CheckTypes(*library, [&](absl::string_view type) { return FamilyOf(type); }));
  entry->plugin.library = std::move(library);
  linked = linked && CheckRoots(entry->plugin);
  for (Wrapper& wrapper : entry->plugin.wrappers) linked = linked && LinkWrapper(wrapper, entry->plugin);
  linked = linked && (entry->is_checked || Passes(CheckPlugin(entry->plugin)));
  linked = linked && CheckParts(entry->plugin) && CheckArgumentRules(entry->plugin);
  AddDigest(entry);
  linking_.pop_back();
  entry->state = linked ? State::kLinked : State::kFailed;
  return linked;
}

bool PluginLinker::LinkFamilies(Entry* entry, ModuleLibrary* library) {
  std::vector<FamilyReference> references = entry->plugin.extends;
  references.insert(references.end(), entry->plugin.uses.begin(), entry->plugin.uses.end());
  bool linked = true;
  for (const FamilyReference& reference : references) {
    const Entry* used = FindLinked(reference);
    linked = used != nullptr && Passes(library->Include(*used->plugin.library)) && linked;
    if (used == nullptr) continue;
    entry->is_checked &= used->is_checked;
    entry->modules_files.insert(used->modules_files.begin(), used->modules_files.end());
    if (!entry->plugin.extends.empty()) TakeOver(used->plugin, &entry->plugin);
  }
  return linked;
}

PluginLinker::Entry* PluginLinker::FindLinked(const FamilyReference& reference) {
  const auto found = entries_.find(reference.family);
  if (found == entries_.end()) {
    // The family may be one whose plugin.yaml did not parse, which is reported already.
    if (!all_parsed_) return nullptr;
    std::vector<std::string> families;
    for (const auto& [family, entry] : entries_) families.push_back(family);
    Fails(reference.mark,
          absl::StrCat("unknown family \"", reference.family, "\"", NearestHint(reference.family, families)));
    return nullptr;
  }
  if (found->second.state == State::kLinking) {
    Fails(reference.mark,
          absl::StrCat("circular `uses` or `extends`: ", absl::StrJoin(linking_, " -> "), " -> ", reference.family));
    return nullptr;
  }
  return LinkEntry(&found->second) ? &found->second : nullptr;
}

bool PluginLinker::AddModules(Entry* entry, ModuleLibrary* library) {
  bool parsed = true;
  for (const YamlFile* file : entry->folder->modules_files()) {
    const std::string name = absl::StrCat(entry->plugin.family, "/", FileName(*file));
    parsed = Passes(library->AddFile(*file, absl::StrCat(kNamesFolder, name))) && parsed;
    entry->modules_files.emplace(name, file->text);
  }
  return parsed;
}

// The family that has a module type called `type`, whether it links or not; empty if none has.
std::string PluginLinker::FamilyOf(absl::string_view type) {
  if (families_of_types_.empty()) {
    for (const auto& [family, entry] : entries_) {
      for (const YamlFile* file : entry.folder->modules_files()) {
        YamlProblems ignored(file->path);
        for (const ModuleType& found : ParseModules(*file, &ignored).types) {
          families_of_types_.emplace(found.name(), family);
        }
      }
    }
  }
  const auto family = families_of_types_.find(type);
  return family == families_of_types_.end() ? "" : family->second;
}

bool PluginLinker::AddKeyMap(Entry* entry) {
  const YamlFile* file = entry->folder->Find("keymap.yaml");
  Plugin& plugin = entry->plugin;
  if (file == nullptr) {
    const bool needs_one = !plugin.variants.empty() && plugin.extends.empty();
    return !needs_one || Fails({}, absl::StrCat(plugin.path, ": a plugin with variants wants a keymap.yaml"));
  }
  const auto find = [&](const std::string& family) -> const Plugin* {
    const auto used = entries_.find(family);
    const bool is_linked = used != entries_.end() && used->second.state == State::kLinked;
    return is_linked ? &used->second.plugin : nullptr;
  };
  return Passes(LinkKeyMap(*file, find, &plugin));
}

// Makes sure that the roots of variants and of wrappers are no types of families that the plugin does not use.
bool PluginLinker::CheckRoots(const Plugin& plugin) {
  bool passes = true;
  for (const Variant& variant : plugin.variants) passes = CheckRoot(variant.module, plugin, variant.mark) && passes;
  for (const Wrapper& wrapper : plugin.wrappers) passes = CheckRoot(wrapper.call, plugin, wrapper.mark) && passes;
  return passes;
}

// A type that no family has is reported where its tree is built.
bool PluginLinker::CheckRoot(const Call& root, const Plugin& plugin, const YamlMark& mark) {
  if (plugin.library->Find(root.type) != nullptr) return true;
  const std::string family = FamilyOf(root.type);
  return family.empty() || Fails(mark, LentTypeError(root.type, family));
}

// Makes sure that a file fills each part of the key map.
bool PluginLinker::CheckParts(const Plugin& plugin) {
  if (!plugin.extends.empty()) return true;  // It may have no variant with a part that it took over.
  std::vector<std::string> filled;
  for (const Variant& variant : plugin.variants) {
    for (const PublishedFile& file : variant.files) filled.push_back(file.part);
  }
  bool passes = true;
  for (const KeyMapPart& part : plugin.key_map.parts) {
    if (std::find(filled.begin(), filled.end(), part.child) != filled.end()) continue;
    passes = Fails(part.mark, absl::StrCat("part ", part.child, ": no variant has a file for it",
                                           NearestHint(part.child, filled)));
  }
  return passes;
}

// Makes sure that the rules for arguments are for those of module types, and use these, or name module types.
bool PluginLinker::CheckArgumentRules(const Plugin& plugin) {
  bool passes = true;
  for (const auto& [root, rules] : plugin.arguments) {
    const ModuleType* const type = plugin.library->Find(root);
    for (const ArgumentRule& rule : rules) {
      if (type == nullptr) {
        passes = Fails(rule.mark, absl::StrCat("arguments of ", root, ": there is no such module type"));
        break;
      }
      passes = CheckNames(rule.value, *type, plugin, rule.mark) && passes;
      passes = CheckArgument(rule.argument, *type, rule.mark) && passes;
    }
  }
  return passes;
}

// Makes sure that each name in an expression over the arguments of `type` is one of these or a module type.
bool PluginLinker::CheckNames(const Expression& expression, const ModuleType& type, const Plugin& plugin,
                              const YamlMark& mark) {
  bool passes = true;
  for (const std::string& name : expression.names()) {
    if (plugin.library->Find(name) == nullptr) passes = CheckArgument(name, type, mark) && passes;
  }
  return passes;
}

bool PluginLinker::CheckArgument(const std::string& name, const ModuleType& type, const YamlMark& mark) {
  const std::vector<std::string> known = type.signature.argument_names();
  if (std::find(known.begin(), known.end(), name) != known.end()) return true;
  return Fails(mark, absl::StrCat(type.name(), " has no argument \"", name, "\"", NearestHint(name, known)));
}

// Makes sure that the wrapper is for roots of variants, and gives it a name.
bool PluginLinker::LinkWrapper(Wrapper& wrapper, const Plugin& plugin) {
  const ModuleType* const root = plugin.library->Find(wrapper.root);
  if (wrapper.when && root != nullptr && !CheckNames(*wrapper.when, *root, plugin, wrapper.mark)) return false;
  const ModuleType* const type = plugin.library->Find(wrapper.call.type);
  if (wrapper.name.empty() && type != nullptr && type->interface) wrapper.name = type->interface->stated.kind;
  std::vector<std::string> roots;
  for (const Variant& variant : plugin.variants) roots.push_back(variant.module.type);
  // A plugin that extends another may have no variant with the root of a wrapper that it took over.
  if (!plugin.extends.empty() || std::find(roots.begin(), roots.end(), wrapper.root) != roots.end()) return true;
  return Fails(wrapper.mark, absl::StrCat("no variant has the root ", wrapper.root, NearestHint(wrapper.root, roots)));
}

void PluginLinker::TakeOver(const Plugin& extended, Plugin* plugin) {
  plugin->upstream = extended.upstream;
  plugin->commit = extended.commit;
  plugin->licence = extended.licence;
  plugin->licence_texts = extended.licence_texts;
  plugin->preprocessing = extended.preprocessing;
  plugin->examples = extended.examples;
  plugin->wrappers = extended.wrappers;
  plugin->arguments = extended.arguments;
  plugin->key_map = extended.key_map;
  plugin->key_map_digest = extended.key_map_digest;
}

void PluginLinker::AddDigest(Entry* entry) {
  std::map<std::string, absl::string_view> files = entry->modules_files;
  files.emplace(absl::StrCat(entry->plugin.family, "/plugin.yaml"), entry->folder->Find("plugin.yaml")->text);
  Sha256 digest;
  for (const auto& [name, text] : files) {
    // The size makes the digested bytes unambiguous: a text cannot imitate the start of another file.
    digest.Update(absl::StrCat(name, "\n", text.size(), "\n"));
    digest.Update(text);
  }
  entry->plugin.plugin_digest = digest.HexDigest();
}

void PluginLinker::CheckVariantNames() {
  std::map<absl::string_view, const Variant*> variants;
  for (const auto& [family, entry] : entries_) {
    for (const Variant& variant : entry.plugin.variants) {
      const auto [first, is_new] = variants.emplace(variant.name, &variant);
      if (!is_new) {
        Fails(variant.mark, absl::StrCat("variant ", variant.name, " is already at ", MarkString(first->second->mark)));
      }
    }
  }
}

bool PluginLinker::Passes(const absl::Status& status) {
  if (!status.ok()) failures_.push_back(status);
  return status.ok();
}

bool PluginLinker::Fails(const YamlMark& mark, absl::string_view message) {
  YamlProblems problems(mark.file);
  problems.Add(mark, message);
  return Passes(problems.status());
}

}  // namespace

absl::StatusOr<std::vector<std::unique_ptr<const Plugin>>> LinkPlugins(const std::vector<PluginFolder>& folders,
                                                                       const std::vector<PluginFolder>& replacements) {
  PluginLinker linker;
  for (const PluginFolder& folder : folders) linker.AddFolder(folder, /*is_replacement=*/false);
  for (const PluginFolder& folder : replacements) linker.AddFolder(folder, /*is_replacement=*/true);
  return linker.Link();
}

}  // namespace modelport
