#include "registry/key_map_check.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/keymap/key_pattern.h"
#include "common/module_tree/find_constant.h"

namespace modelport {
namespace {

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

}  // namespace

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
                      [&](const ModuleTree&, const ModuleTree& part) {
                        return AnySlot(part, [&](const std::string& slot) { return CountMatches(rule, slot) > 0; });
                      }});
  }
  for (const Inclusion& inclusion : layout.includes) {
    if (!IsOwn(inclusion.mark)) continue;
    unmet_.push_back({&layout, inclusion.mark, absl::StrCat("no variant has a slot below ", inclusion.slot),
                      [path = absl::StrCat(inclusion.slot, ".")](const ModuleTree&, const ModuleTree& part) {
                        return AnySlot(part, [&](const std::string& slot) { return absl::StartsWith(slot, path); });
                      }});
  }
  for (const StatedConstant& constant : layout.constants) {
    unmet_.push_back({&layout, constant.mark,
                      absl::StrCat("no variant has the constant ", constant.path, " ", constant.value),
                      [&](const ModuleTree& tree, const ModuleTree&) {
                        const Value* const value = FindConstant(tree, constant.path);
                        return value != nullptr && ValueString(*value) == constant.value;
                      }});
  }
  AddPairs(layout);
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
    const auto remove_if = [&](auto* list, auto is_done) {
      list->erase(std::remove_if(list->begin(), list->end(),
                                 [&](const auto& item) { return IsOf(*part.key_map, item.layout) && is_done(item); }),
                  list->end());
    };
    remove_if(&unmet_, [&](const Claim& claim) { return claim.is_met(tree, part.tree); });
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

}  // namespace modelport
