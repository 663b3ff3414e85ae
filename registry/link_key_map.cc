#include "registry/link_key_map.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/digest/sha256.h"
#include "common/keymap/include_layout.h"
#include "common/keymap/key_map.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "common/yaml/problems.h"

namespace modelport {
namespace {

// The largest layout of the catalog has 40.
constexpr size_t kMaxRules = 10000;

size_t CountRules(const Layout& layout) {
  return layout.recognise.size() + layout.old_names.size() + layout.renames.size() + layout.sources.size() +
         layout.aliases.size() + layout.missing.size() + layout.dropped.size() + layout.unused.size() +
         layout.includes.size();
}

class KeyMapLinker {
 public:
  KeyMapLinker(const Plugin& plugin, const YamlFile& file, FindLinkedPlugin find)
      : find_(find), problems_(file.path), digested_(file.text) {
    for (const FamilyReference& reference : plugin.uses) uses_.push_back(reference.family);
  }

  // Gives `key_map` the rules of other families. Returns the digest.
  std::string Link(KeyMap* key_map) {
    for (Layout& layout : key_map->layouts) Include(&layout);
    for (KeyMapPart& part : key_map->parts) {
      for (Layout& layout : part.key_map.layouts) Include(&layout);
      if (!part.family.empty()) TakeKeyMap(&part);
    }
    return Sha256Of(digested_);
  }

  absl::Status status() const { return problems_.size() > 0 ? problems_.status() : absl::OkStatus(); }

 private:
  void TakeKeyMap(KeyMapPart* part) {
    const Plugin* const plugin = Find(part->family, part->mark, absl::StrCat("part ", part->child));
    if (plugin == nullptr) return;
    part->key_map = plugin->key_map;
    absl::StrAppend(&digested_, "\n", part->child, " ", plugin->key_map_digest);
  }

  void Include(Layout* layout) {
    CheckApart(layout->includes);
    const std::vector<Inclusion> stated = layout->includes;  // Those of other families are added to them.
    for (const Inclusion& inclusion : stated) {
      const Plugin* const plugin = Find(inclusion.family, inclusion.mark, absl::StrCat("layout ", layout->name));
      if (plugin == nullptr) continue;
      const Layout* const included = plugin->key_map.Find(inclusion.layout);
      if (included == nullptr) {
        problems_.Add(inclusion.mark,
                      absl::StrCat("layout ", layout->name, ": ", inclusion.family, " has no layout \"",
                                   inclusion.layout, "\"", NearestLayout(inclusion.layout, plugin->key_map)));
        continue;
      }
      if (CountRules(*layout) + CountRules(*included) > kMaxRules) {
        problems_.Add(inclusion.mark, absl::StrCat("layout ", layout->name, " has more than ", kMaxRules,
                                                   " rules with those that it includes"));
        continue;
      }
      IncludeLayout(*included, inclusion, layout);
      absl::StrAppend(&digested_, "\n", inclusion.slot, " ", plugin->key_map_digest);
    }
  }

  // A slot is below one inclusion at most.
  void CheckApart(const std::vector<Inclusion>& includes) {
    const auto is_within = [](const Inclusion& inner, const Inclusion& outer) {
      return absl::StartsWith(absl::StrCat(inner.slot, "."), absl::StrCat(outer.slot, "."));
    };
    for (size_t i = 0; i < includes.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (!is_within(includes[i], includes[j]) && !is_within(includes[j], includes[i])) continue;
        problems_.Add(includes[i].mark, absl::StrCat("the slots below ", includes[i].slot,
                                                     " are also of the inclusion at ", MarkString(includes[j].mark)));
      }
    }
  }

  // Null if the family is not in `uses` or has a problem.
  const Plugin* Find(const std::string& family, const YamlMark& mark, absl::string_view subject) {
    if (std::find(uses_.begin(), uses_.end(), family) != uses_.end()) return find_(family);
    problems_.Add(mark, absl::StrCat(subject, ": \"", family, "\" is no family of `uses`", NearestHint(family, uses_)));
    return nullptr;
  }

  static std::string NearestLayout(const std::string& name, const KeyMap& key_map) {
    std::vector<std::string> names;
    for (const Layout& layout : key_map.layouts) names.push_back(layout.name);
    return NearestHint(name, names);
  }

  FindLinkedPlugin find_;
  YamlProblems problems_;
  std::vector<std::string> uses_;
  std::string digested_;
};

}  // namespace

absl::Status LinkKeyMap(const YamlFile& file, FindLinkedPlugin find, Plugin* plugin) {
  ASSIGN_OR_RETURN(plugin->key_map, ParseKeyMap(file));
  KeyMapLinker linker(*plugin, file, find);
  plugin->key_map_digest = linker.Link(&plugin->key_map);
  return linker.status();
}

}  // namespace modelport
