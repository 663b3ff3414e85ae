#include "registry/link_key_map.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/digest/sha256.h"
#include "common/keymap/config_rule.h"
#include "common/keymap/conversion.h"
#include "common/keymap/key_map.h"
#include "common/keymap/key_pattern.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/text/nearest.h"
#include "common/yaml/problems.h"

namespace modelport {
namespace {

// The largest layout of the catalog has 40.
constexpr size_t kMaxRules = 10000;

size_t CountRules(const Layout& layout) {
  return layout.recognise.size() + layout.old_names.size() + layout.renames.size() + layout.sources.size() +
         layout.aliases.size() + layout.missing.size() + layout.dropped.size() + layout.unused.size() +
         layout.includes.size() + layout.config.size() + layout.config_unread.size();
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

bool AnySlot(const ModuleTree& tree, const std::function<bool(const std::string& name)>& matches) {
  return std::any_of(tree.slots.begin(), tree.slots.end(), [&](const Slot& slot) { return matches(slot.name); });
}

// How many patterns of `rule` match the slot.
size_t CountMatches(const Conversion& rule, const std::string& slot) {
  return std::count_if(rule.slots.begin(), rule.slots.end(),
                       [&](const KeyPattern& pattern) { return pattern.Matches(slot); });
}

// Whether a slot can match two different patterns of the rules.
bool MayOverlap(const Conversion& first, const Conversion& second) {
  for (const KeyPattern& a : first.slots) {
    for (const KeyPattern& b : second.slots) {
      if (&a != &b && a.MayOverlap(b)) return true;
    }
  }
  return false;
}

bool IsOf(const KeyMap& key_map, const Layout* layout) {
  return std::any_of(key_map.layouts.begin(), key_map.layouts.end(),
                     [&](const Layout& other) { return &other == layout; });
}

// Inserts the rules `from`, changed by `place`, in front of `to`.
template <typename Rule, typename Place>
void Prepend(std::vector<Rule> from, std::vector<Rule>* to, Place place) {
  for (Rule& rule : from) place(&rule);
  to->insert(to->begin(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// A rule of the layout itself takes the place of an included one.
void IncludeConfig(const Layout& included, const Inclusion& inclusion, Layout* layout) {
  for (ConfigRule rule : included.config) {
    rule.field = JoinPath(inclusion.config, rule.field);
    rule.of = rule.of.empty() ? inclusion.slot : JoinPath(inclusion.slot, rule.of);
    if (FindConfigRule(layout->config, rule.field) == nullptr) layout->config.push_back(std::move(rule));
  }
  for (const KeyPattern& field : included.config_unread) layout->config_unread.push_back(field.Below(inclusion.config));
}

}  // namespace

absl::Status LinkKeyMap(const YamlFile& file, FindLinkedPlugin find, Plugin* plugin) {
  ASSIGN_OR_RETURN(plugin->key_map, ParseKeyMap(file));
  KeyMapLinker linker(*plugin, file, find);
  plugin->key_map_digest = linker.Link(&plugin->key_map);
  return linker.status();
}

KeyMapCheck::KeyMapCheck(const Plugin& plugin) : plugin_(plugin), problems_(plugin.key_map.path) {
  if (!plugin.extends.empty()) return;  // The key map is that of another family.
  for (const Layout& layout : plugin.key_map.layouts) AddLayout(layout);
  for (const KeyMapPart& part : plugin.key_map.parts) {
    if (!part.family.empty()) continue;
    for (const Layout& layout : part.key_map.layouts) AddLayout(layout);
  }
}

void KeyMapCheck::AddLayout(const Layout& layout) {
  for (const Conversion& rule : layout.sources) {
    if (!IsOwn(rule.mark)) continue;
    unmet_.push_back({&layout, rule.mark,
                      absl::StrCat("no variant has a slot that matches \"", rule.slots.front().text(), "\"",
                                   rule.slots.size() > 1 ? " or the others" : ""),
                      [&](const ModuleTree&, const WeightPart& part) {
                        return AnySlot(part.tree,
                                       [&](const std::string& slot) { return CountMatches(rule, slot) > 0; });
                      }});
  }
  for (const Inclusion& inclusion : layout.includes) {
    if (!IsOwn(inclusion.mark)) continue;
    unmet_.push_back({&layout, inclusion.mark, absl::StrCat("no variant has a slot below ", inclusion.slot),
                      [path = absl::StrCat(inclusion.slot, ".")](const ModuleTree&, const WeightPart& part) {
                        return AnySlot(part.tree,
                                       [&](const std::string& slot) { return absl::StartsWith(slot, path); });
                      }});
  }
  for (const StatedConstant& constant : layout.constants) {
    unmet_.push_back({&layout, constant.mark,
                      absl::StrCat("no variant has the constant ", constant.path, " ", constant.value),
                      [&](const ModuleTree& tree, const WeightPart&) {
                        const Value* const value = FindConstant(tree, constant.path);
                        return value != nullptr && ValueString(*value) == constant.value;
                      }});
  }
  for (const ConfigRule& rule : layout.config) {
    if (!IsOwn(rule.mark)) continue;
    unmet_.push_back({&layout, rule.mark,
                      absl::StrCat("no variant has what field \"", rule.field, "\" of field \"config\" names"),
                      [&](const ModuleTree& tree, const WeightPart& part) {
                        const auto wanted = WantedConfig(rule, tree, part.file->part);
                        return !wanted.ok() || wanted->has_value();  // ReportConfig reports the error.
                      }});
  }
  AddPairs(layout);
}

void KeyMapCheck::ReportConfig(const Layout& layout, const ModuleTree& tree, const WeightPart& part) {
  for (const ConfigRule& rule : layout.config) {
    if (!IsOwn(rule.mark)) continue;
    const absl::Status status = WantedConfig(rule, tree, part.file->part).status();
    if (!status.ok() && reported_.insert(MarkString(rule.mark)).second) problems_.Add(rule.mark, status.message());
  }
}

// Rules with `when` may be for different files. Inclusions are for different slots, so that one rule is the layout's.
void KeyMapCheck::AddPairs(const Layout& layout) {
  for (size_t i = 0; i < layout.sources.size(); ++i) {
    for (size_t j = 0; j <= i; ++j) {
      const Conversion &first = layout.sources[j], &second = layout.sources[i];
      if (first.when || second.when || !IsOwn(second.mark)) continue;
      if (MayOverlap(first, second)) pairs_.push_back({&layout, &first, &second});
    }
  }
}

void KeyMapCheck::Add(const Variant& variant, const ModuleTree& tree, const std::vector<WeightPart>& parts) {
  for (const WeightPart& part : parts) {
    for (const Layout& layout : part.key_map->layouts) ReportConfig(layout, tree, part);
    const auto remove_if = [&](auto* list, auto is_done) {
      list->erase(std::remove_if(list->begin(), list->end(),
                                 [&](const auto& item) { return IsOf(*part.key_map, item.layout) && is_done(item); }),
                  list->end());
    };
    remove_if(&unmet_, [&](const Claim& claim) { return claim.is_met(tree, part); });
    remove_if(&pairs_, [&](const RulePair& pair) { return Report(pair, variant, part); });
  }
}

bool KeyMapCheck::Report(const RulePair& pair, const Variant& variant, const WeightPart& part) {
  const auto [layout, first, second] = pair;
  const bool is_same = first == second;
  for (const Slot& slot : part.tree.slots) {
    const size_t matches = CountMatches(*second, slot.name);
    if (is_same ? matches < 2 : matches == 0 || CountMatches(*first, slot.name) == 0) continue;
    const std::string places = absl::StrCat(MarkString(first->mark), " ", MarkString(second->mark));
    if (!reported_.insert(places).second) return true;  // Several layouts share the rules.
    problems_.Add(
        second->mark,
        absl::StrCat("layout ", layout->name, ": the rule fills ", slot.name, " of ", variant.name,
                     is_same ? " twice" : absl::StrCat(", and so does the one at ", MarkString(first->mark))));
    return true;
  }
  return false;
}

absl::Status KeyMapCheck::status() const {
  YamlProblems problems = problems_;
  std::set<std::string> marks;  // One problem for a rule that several layouts share.
  for (const Claim& claim : unmet_) {
    if (marks.insert(MarkString(claim.mark)).second) problems.Add(claim.mark, claim.problem);
  }
  return problems.status();
}

void IncludeLayout(const Layout& included, const Inclusion& inclusion, Layout* layout) {
  const std::string slot_path = inclusion.slot, key_path = inclusion.key;  // `includes` grows below.
  const auto place_key = [&](KeyPattern* key) { *key = key->Below(key_path); };
  const auto place_slot = [&](KeyPattern* slot) { *slot = slot->Below(slot_path); };
  const auto place_ends = [&](auto* rule) {
    place_key(&rule->from);
    place_key(&rule->to);
  };
  Prepend(included.recognise, &layout->recognise, place_key);
  Prepend(included.old_names, &layout->old_names, place_ends);
  Prepend(included.renames, &layout->renames, place_ends);
  Prepend(included.sources, &layout->sources, [&](Conversion* rule) {
    for (KeyPattern& slot : rule->slots) place_slot(&slot);
    for (KeyPattern& key : rule->keys) place_key(&key);
    if (rule->when) place_key(&*rule->when);
  });
  Prepend(included.aliases, &layout->aliases, [&](Alias* alias) {
    place_slot(&alias->slot);
    place_key(&alias->key);
  });
  Prepend(included.missing, &layout->missing, [&](Allowance* allowance) { place_slot(&allowance->key); });
  Prepend(included.dropped, &layout->dropped, [&](Allowance* allowance) { place_slot(&allowance->key); });
  Prepend(included.unused, &layout->unused, [&](Allowance* allowance) { place_key(&allowance->key); });
  IncludeConfig(included, inclusion, layout);
  // Those that lead deeper come first: OwnKey takes the first that matches.
  Prepend(included.includes, &layout->includes, [&](Inclusion* inner) {
    inner->slot = JoinPath(slot_path, inner->slot);
    inner->key = inner->key.empty() ? key_path : JoinPath(key_path, inner->key);
  });
}

}  // namespace modelport
