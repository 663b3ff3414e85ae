#include "tools/draft/draft_layout.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/tensor/shape.h"
#include "common/text/collapse_indices.h"
#include "common/text/printable.h"
#include "tools/draft/pair_groups.h"

namespace modelport {
namespace {

constexpr size_t kMaxNames = 20000;
constexpr size_t kMaxPrefixParts = 8;
constexpr double kLikely = 0.4;  // Names with less in common are marked.

// An item of `sources`.
struct Rule {
  std::string slot, key, by;
  std::string remark;  // Why it is doubtful, or "".
};

using Names = std::vector<absl::string_view>;

// What all names begin with, up to a dot: "model.".
absl::string_view SharedBeginning(const Names& names) {
  if (names.empty()) return "";
  absl::string_view shared = names.front();
  for (const absl::string_view name : names) {
    const auto end = std::mismatch(shared.begin(), shared.end(), name.begin(), name.end()).first;
    shared = shared.substr(0, end - shared.begin());
  }
  return shared.substr(0, shared.rfind('.') + 1);
}

// What all keys begin with and most slots' names lack: without it, most keys are slots. May be empty.
absl::string_view ChoosePrefix(const Names& keys, const Names& slots) {
  const absl::flat_hash_set<absl::string_view> names(slots.begin(), slots.end());
  const auto count_equal = [&](size_t size) {
    return std::count_if(keys.begin(), keys.end(), [&](auto key) { return names.contains(key.substr(size)); });
  };
  const absl::string_view shared = SharedBeginning(keys);
  size_t best = 0;
  for (size_t size = 0, parts = 0; size < shared.size() && parts < kMaxPrefixParts; ++parts) {
    size = shared.find('.', size) + 1;
    if (count_equal(size) > count_equal(best)) best = size;
  }
  return shared.substr(0, best);
}

std::vector<std::string> Patterns(const std::vector<const KeyGroup*>& groups) {
  std::vector<std::string> patterns;
  for (const KeyGroup* group : groups) patterns.push_back(group->pattern);
  return patterns;
}

std::string Remark(const GroupPair& pair) {
  if (!pair.is_ordered) return "in which order?";
  return pair.likeness < kLikely ? "by shape; the names have little in common" : "";
}

bool KeepsNames(const GroupPair& pair) {
  return pair.by.empty() && pair.slots.front()->pattern == pair.keys.front()->pattern;
}

// Merges rules for members of one module that differ in the member only, such as weight and bias, if they are the rules
// of all its members.
class RuleMerger {
 public:
  RuleMerger(const std::vector<KeyGroup>& slots, const std::vector<GroupPair>& pairs) {
    for (const KeyGroup& slot : slots) ++members_[Module(slot.pattern)];
    for (const GroupPair& pair : pairs) ++alike_[Common(pair)];
  }

  std::vector<Rule> Merge(const std::vector<GroupPair>& pairs) {
    std::vector<Rule> rules;
    std::map<Alike, size_t> merged;
    for (const GroupPair& pair : pairs) {
      if (KeepsNames(pair)) continue;
      const Alike common = Common(pair);
      const bool merges = alike_[common] > 1 && alike_[common] == members_[std::get<0>(common)];
      const auto [place, is_new] = merges ? merged.emplace(common, rules.size()) : std::make_pair(merged.end(), true);
      if (is_new) {
        rules.push_back(merges ? Rule{absl::StrCat(std::get<0>(common), ".{leaf}"),
                                      absl::StrCat(std::get<1>(common), ".{leaf}"), pair.by, Remark(pair)}
                               : Rule{JoinAlternatives(Patterns(pair.slots)), JoinAlternatives(Patterns(pair.keys)),
                                      pair.by, Remark(pair)});
      } else if (rules[place->second].remark.empty()) {
        rules[place->second].remark = Remark(pair);
      }
    }
    return rules;
  }

 private:
  // The modules of a rule's slots and keys, and its operation; the modules are empty if it cannot be merged.
  using Alike = std::tuple<std::string, std::string, std::string>;

  static std::string Module(absl::string_view pattern) {
    return std::string(pattern.substr(0, std::min(pattern.rfind('.'), pattern.size())));
  }

  static Alike Common(const GroupPair& pair) {
    if (pair.slots.size() > 1) return {};
    const std::string& slot = pair.slots.front()->pattern;
    const std::string module = Module(slot);
    const std::string leaf = slot.substr(module.size());
    if (leaf.empty() || leaf[1] == '{') return {};
    std::vector<std::string> keys = Patterns(pair.keys);
    for (std::string& key : keys) {
      if (Module(key) + leaf != key) return {};
      key = Module(key);
    }
    return {module, JoinAlternatives(keys), pair.by};
  }

  std::map<std::string, size_t> members_;  // The number of a module's slots, by its pattern.
  std::map<Alike, size_t> alike_;          // The number of pairs.
};

std::string RuleText(const Rule& rule) {
  return absl::StrCat("      - {slot: ", YamlQuoted(rule.slot), ", key: ", YamlQuoted(rule.key),
                      rule.by.empty() ? "" : absl::StrCat(", by: ", YamlQuoted(rule.by)), "}",
                      rule.remark.empty() ? "" : absl::StrCat("  # ", rule.remark), "\n");
}

// The patterns of the first keys, and of those with the most layers: enough to tell the file from others.
std::vector<std::string> Marks(const std::vector<GroupPair>& pairs) {
  const auto has_fewer = [](const GroupPair& a, const GroupPair& b) {
    return a.keys.front()->members.size() < b.keys.front()->members.size();
  };
  const GroupPair& largest = *std::max_element(pairs.begin(), pairs.end(), has_fewer);
  std::vector<std::string> marks = {pairs.front().keys.front()->pattern};
  if (largest.keys.front()->pattern != marks[0]) marks.push_back(largest.keys.front()->pattern);
  return marks;
}

using NameSet = absl::flat_hash_set<std::string>;

// The names that a group stands for.
void AddNames(const KeyGroup& group, NameSet* names) {
  for (const auto& [indices, shape] : group.members) {
    std::string name;
    absl::string_view rest = group.pattern;
    for (const int64_t index : indices) {
      const size_t open = rest.find('{');
      absl::StrAppend(&name, rest.substr(0, open), index);
      rest.remove_prefix(open + 3);
    }
    names->insert(absl::StrCat(name, rest));
  }
}

void AddNames(const std::vector<GroupPair>& pairs, NameSet* filled, NameSet* used) {
  for (const GroupPair& pair : pairs) {
    for (const KeyGroup* slot : pair.slots) AddNames(*slot, filled);
    for (const KeyGroup* key : pair.keys) AddNames(*key, used);
  }
}

std::vector<NamedShape> Left(const std::vector<NamedShape>& tensors, const NameSet& done) {
  std::vector<NamedShape> left;
  for (const NamedShape& tensor : tensors) {
    if (!done.contains(tensor.name)) left.push_back(tensor);
  }
  return left;
}

// A group for each of `tensors` whose shape no other one has, with its name as pattern.
std::vector<KeyGroup> UniqueShapes(const std::vector<NamedShape>& tensors) {
  std::map<Shape, int> counts;
  for (const NamedShape& tensor : tensors) ++counts[*tensor.shape];
  std::vector<KeyGroup> groups;
  for (const NamedShape& tensor : tensors) {
    const bool has_pattern = !GroupKeys({tensor}).empty();
    if (has_pattern && counts[*tensor.shape] == 1) groups.push_back({std::string(tensor.name), {{{}, *tensor.shape}}});
  }
  return groups;
}

// "# TITLE", and a line for each of `tensors`, collapsed over layers.
std::string LeftText(absl::string_view title, const std::vector<NamedShape>& tensors) {
  if (tensors.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const NamedShape& tensor : tensors) rows.push_back({Brief(tensor.name), ShapeString(*tensor.shape)});
  std::string text = absl::StrCat("# ", title, "\n");
  for (const CollapsedRow& row : CollapseIndices(std::move(rows))) {
    absl::StrAppend(&text, "#   ", absl::StrJoin(row.cells, " "), "\n");
  }
  return text;
}

std::string LayoutText(const StateDict& dict, absl::string_view prefix, const std::vector<KeyGroup>& slots,
                       const std::vector<GroupPair>& pairs) {
  std::string yaml = "layouts:\n  drafted:\n    recognise:\n";
  for (const std::string& mark : Marks(pairs)) absl::StrAppend(&yaml, "      - ", YamlQuoted(mark), "\n");
  if (!dict.path.empty()) {
    // A layout unwraps one dictionary in another by their names.
    std::vector<absl::string_view> steps;
    absl::flat_hash_set<absl::string_view> known;
    for (absl::string_view step : absl::StrSplit(dict.path, '.')) {
      if (known.insert(step).second) steps.push_back(step);
    }
    absl::StrAppend(&yaml, "    unwrap:\n");
    for (const absl::string_view step : steps) absl::StrAppend(&yaml, "      - ", YamlQuoted(step), "\n");
  }
  if (!prefix.empty()) absl::StrAppend(&yaml, "    prefix: ", YamlQuoted(prefix), "\n");
  const std::vector<Rule> rules = RuleMerger(slots, pairs).Merge(pairs);
  if (!rules.empty()) absl::StrAppend(&yaml, "    sources:\n");
  for (const Rule& rule : rules) absl::StrAppend(&yaml, RuleText(rule));
  return yaml;
}

// `key` with a placeholder for each number between dots.
std::string Pattern(absl::string_view key) {
  std::vector<std::string> parts = absl::StrSplit(key, '.');
  int count = 0;
  for (std::string& part : parts) {
    if (!std::all_of(part.begin(), part.end(), absl::ascii_isdigit)) continue;
    part = ++count == 1 ? "{index}" : absl::StrCat("{index", count, "}");
  }
  return absl::StrJoin(parts, ".");
}

void AppendList(absl::string_view field, const std::vector<std::string>& items, std::string* yaml) {
  if (items.empty()) return;
  absl::StrAppend(yaml, "    ", field, ":\n");
  for (const std::string& item : items) absl::StrAppend(yaml, "      - ", YamlQuoted(item), "\n");
}

// The rules of the layout that the file has.
void AppendRules(const DraftedRules& rules, const KeyTree& tree, std::string* yaml) {
  AppendList("unwrap", rules.unwrap, yaml);
  AppendList("strip", rules.strip, yaml);
  if (!tree.renames.empty()) absl::StrAppend(yaml, "    renames:\n");
  for (const auto& [from, to] : tree.renames) {
    absl::StrAppend(yaml, "      - {from: ", YamlQuoted(from), ", to: ", YamlQuoted(to), "}\n");
  }
  if (rules.lacks_counters) {
    absl::StrAppend(yaml, "    missing:\n      - {key: \"{path*}.num_batches_tracked\", ",
                    "reason: the file lacks it; it counts training's batches and is not used}\n");
  }
  if (!rules.empty.empty()) absl::StrAppend(yaml, "    unused:\n");
  for (const std::string& key : rules.empty) {
    absl::StrAppend(yaml, "      - {key: ", YamlQuoted(key), ", reason: a tensor without elements}\n");
  }
}

}  // namespace

absl::StatusOr<LayoutDraft> DraftLayout(const StateDict& dict, const ModuleTree& tree) {
  if (std::max(dict.tensors.size(), tree.slots.size()) > kMaxNames) {
    return absl::InvalidArgumentError(absl::StrCat("a layout is drafted for at most ", kMaxNames,
                                                   " tensors; the file has ", dict.tensors.size(), ", the model ",
                                                   tree.slots.size()));
  }
  Names key_names, slot_names;
  for (const CheckpointTensor& tensor : dict.tensors) key_names.push_back(tensor.key);
  for (const Slot& slot : tree.slots) slot_names.push_back(slot.name);
  const absl::string_view prefix = ChoosePrefix(key_names, slot_names);

  std::vector<NamedShape> slots, keys;
  for (const Slot& slot : tree.slots) slots.push_back({slot.name, &slot.shape});
  for (const CheckpointTensor& tensor : dict.tensors) {
    keys.push_back({absl::StripPrefix(tensor.key, prefix), &tensor.shape});
  }
  const std::vector<KeyGroup> slot_groups = GroupKeys(slots), key_groups = GroupKeys(keys);
  std::vector<GroupPair> pairs = PairGroups(slot_groups, key_groups);
  NameSet filled, used;
  AddNames(pairs, &filled, &used);
  // Layers that are numbered on one side only: a shape that occurs once tells which is which.
  const std::vector<KeyGroup> odd_slots = UniqueShapes(Left(slots, filled)), odd_keys = UniqueShapes(Left(keys, used));
  const std::vector<GroupPair> odd_pairs = PairGroups(odd_slots, odd_keys);
  AddNames(odd_pairs, &filled, &used);
  pairs.insert(pairs.end(), odd_pairs.begin(), odd_pairs.end());

  LayoutDraft draft{"", slots.size(), filled.size(), keys.size(), used.size()};
  draft.yaml = absl::StrCat("# DRAFT: fills ", draft.filled, " of ", draft.slots, " slots from ", draft.used, " of ",
                            draft.keys, " keys. Names and shapes suggest it; check every rule.\n",
                            pairs.empty() ? "" : LayoutText(dict, prefix, slot_groups, pairs),
                            LeftText("slots without a key", Left(slots, filled)),
                            LeftText("keys without a slot", Left(keys, used)));
  return draft;
}

std::string YamlQuoted(absl::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}}), "\"");
}

std::string KeyMapText(const DraftedRules& rules, const KeyTree& tree) {
  std::string yaml =
      "# DRAFT: how the checkpoint names the tensors. A layout is one published naming of the keys. A file has it if "
      "each\n"
      "# pattern matches a key: {index} stands for one part between dots. docs/plugins.md lists all rules.\n"
      "layouts:\n";
  if (!tree.renamed) {
    absl::StrAppend(&yaml, "  original:\n");
    std::vector<std::string> patterns;
    for (const std::string& key : rules.keys) {
      std::string pattern = Pattern(key);
      if (std::find(patterns.begin(), patterns.end(), pattern) == patterns.end())
        patterns.push_back(std::move(pattern));
    }
    AppendList("recognise", patterns, &yaml);
  } else {
    absl::StrAppend(&yaml, "  # The names in modules.yaml, which seeded weights have.\n  original:\n");
    AppendList("recognise", {tree.renamed->second}, &yaml);
    absl::StrAppend(&yaml,
                    "\n  # The names in the file, of which no member of a module can have some.\n  published:\n");
    AppendList("recognise", {tree.renamed->first}, &yaml);
  }
  AppendRules(rules, tree, &yaml);
  return yaml;
}

}  // namespace modelport
