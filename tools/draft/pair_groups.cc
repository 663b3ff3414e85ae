#include "tools/draft/pair_groups.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {
namespace {

using Groups = std::vector<const KeyGroup*>;
using GroupsByMembers = std::map<KeyGroup::Members, Groups>;

constexpr absl::string_view kPlaceholders = "ijklmn";
constexpr size_t kMaxDigits = 9;
constexpr size_t kMaxName = 1000;  // The parts of a longer name can take 30 times its memory.

bool IsIndex(absl::string_view part) {
  return part.size() <= kMaxDigits && std::all_of(part.begin(), part.end(), absl::ascii_isdigit) &&
         (part == "0" || part[0] != '0');
}

// True if a pattern set can have the part as it is.
bool IsPlain(absl::string_view part) {
  const auto is_plain = [](char c) { return absl::ascii_isgraph(c) && c != '{' && c != '}' && c != ','; };
  return !part.empty() && std::all_of(part.begin(), part.end(), is_plain);
}

// Bounds of the search. A comparison takes up to 0.2 ms.
constexpr int kMaxComparisons = 20000;
constexpr int64_t kMaxSiblings = 2'000'000;

// Members that a layer has only one of: they are paired with their own name.
constexpr absl::string_view kLeaves[] = {"weight", "bias", "running_mean", "running_var", "num_batches_tracked"};

// The order in which parts are joined, by the first word of their names.
constexpr std::pair<absl::string_view, int> kOrder[] = {{"q", 0},   {"k", 1},     {"v", 2},    {"query", 0},
                                                        {"key", 1}, {"value", 2}, {"gate", 0}, {"up", 1}};

absl::string_view Leaf(absl::string_view pattern) { return pattern.substr(pattern.rfind('.') + 1); }

// False for a weight and a bias.
bool LeavesAgree(const KeyGroup& slot, const KeyGroup& key) {
  const absl::string_view a = Leaf(slot.pattern), b = Leaf(key.pattern);
  const auto is_known = [](absl::string_view leaf) {
    return std::find(std::begin(kLeaves), std::end(kLeaves), leaf) != std::end(kLeaves);
  };
  return a == b || !is_known(a) || !is_known(b);
}

// The place of a part among those that are joined; nullopt for an unknown name.
absl::optional<int> Place(absl::string_view part) {
  const absl::string_view word = part.substr(0, part.find('_'));
  for (const auto& [name, place] : kOrder) {
    if (word == name) return place;
  }
  return absl::nullopt;
}

// The shapes of the parts of which `count` make the members along dimension 0; empty if it is not divisible.
KeyGroup::Members PartMembers(KeyGroup::Members members, int64_t count) {
  for (auto& [indices, shape] : members) {
    if (shape.empty() || shape[0] == 0 || shape[0] % count != 0) return {};
    shape[0] /= count;
  }
  return members;
}

// Groups whose patterns differ in one part, and that part of each.
using Siblings = std::vector<std::pair<const KeyGroup*, std::string>>;

// The `count` siblings to join, in order; nullopt if that cannot be told. `is_ordered` says whether their names tell.
absl::optional<Groups> ChooseParts(const Siblings& siblings, size_t count, bool* is_ordered) {
  Groups known(count, nullptr);
  for (const auto& [group, part] : siblings) {
    const absl::optional<int> place = Place(part);
    if (place && static_cast<size_t>(*place) < count) known[*place] = group;
  }
  *is_ordered = std::find(known.begin(), known.end(), nullptr) == known.end();
  if (*is_ordered) return known;
  if (siblings.size() != count) return absl::nullopt;
  Groups all;
  for (const auto& [group, part] : siblings) all.push_back(group);
  return all;
}

class Pairing {
 public:
  Pairing(const std::vector<KeyGroup>& slots, const std::vector<KeyGroup>& keys) : slots_(slots), keys_(keys) {}

  std::vector<GroupPair> Run() {
    PairEqualNames();
    PairJoined();
    PairSimilarNames();
    std::sort(pairs_.begin(), pairs_.end(),
              [](const GroupPair& a, const GroupPair& b) { return a.slots.front() < b.slots.front(); });
    return std::move(pairs_);
  }

 private:
  bool IsFree(const KeyGroup& group) const { return !taken_.contains(&group); }

  void Take(GroupPair pair) {
    taken_.insert(pair.slots.begin(), pair.slots.end());
    taken_.insert(pair.keys.begin(), pair.keys.end());
    pairs_.push_back(std::move(pair));
  }

  GroupsByMembers FreeGroups(const std::vector<KeyGroup>& groups) const {
    GroupsByMembers free;
    for (const KeyGroup& group : groups) {
      if (IsFree(group)) free[group.members].push_back(&group);
    }
    return free;
  }

  void PairEqualNames() {
    absl::flat_hash_map<absl::string_view, const KeyGroup*> keys;
    for (const KeyGroup& key : keys_) keys[key.pattern] = &key;
    for (const KeyGroup& slot : slots_) {
      const auto key = keys.find(slot.pattern);
      if (key != keys.end() && key->second->members == slot.members) Take({{&slot}, {key->second}, ""});
    }
  }

  // Slots of several keys, and keys of several slots, of which no counterpart has the shape.
  void PairJoined() {
    const GroupsByMembers slots = FreeGroups(slots_), keys = FreeGroups(keys_);
    for (const KeyGroup& slot : slots_) {
      if (!IsFree(slot) || keys.count(slot.members) > 0) continue;
      if (absl::optional<GroupPair> pair = FindParts(slot, keys)) {
        pair->slots = {&slot};
        pair->by = "concatenate(0)";
        Take(*std::move(pair));
      }
    }
    for (const KeyGroup& key : keys_) {
      if (!IsFree(key) || slots.count(key.members) > 0) continue;
      if (absl::optional<GroupPair> pair = FindParts(key, slots)) {
        pair->slots = std::exchange(pair->keys, {&key});
        pair->by = absl::StrCat("chunk(", pair->slots.size(), ", 0)");
        Take(*std::move(pair));
      }
    }
  }

  // The free groups, three or two, that make `whole`, as `keys` of a pair.
  absl::optional<GroupPair> FindParts(const KeyGroup& whole, const GroupsByMembers& groups) {
    absl::optional<GroupPair> best;
    for (const size_t count : {3, 2}) {
      const auto found = groups.find(PartMembers(whole.members, count));
      if (found == groups.end()) continue;
      for (const auto& [pattern, siblings] : FindSiblings(found->second)) {
        bool is_ordered = false;
        absl::optional<Groups> parts = ChooseParts(siblings, count, &is_ordered);
        if (!parts || !LeavesAgree(whole, *parts->front())) continue;
        // Many vectors have one size by chance.
        if (!is_ordered && whole.members.begin()->second.size() < 2) continue;
        const double likeness = Compare(whole.pattern, parts->front()->pattern);
        if (best && likeness <= best->likeness) continue;
        best = GroupPair{{}, *std::move(parts), "", likeness, is_ordered};
      }
      if (best) break;
    }
    return best;
  }

  // The free ones of `groups` by their patterns without one of the parts.
  std::map<std::string, Siblings> FindSiblings(const Groups& groups) {
    std::map<std::string, Siblings> siblings;
    for (const KeyGroup* group : groups) {
      if (!IsFree(*group)) continue;
      std::vector<std::string> parts = absl::StrSplit(group->pattern, '.');
      siblings_ -= parts.size();
      if (siblings_ < 0) break;
      for (std::string& part : parts) {
        if (part[0] == '{') continue;
        const std::string own = std::exchange(part, "*");
        siblings[absl::StrJoin(parts, ".")].emplace_back(group, own);
        part = own;
      }
    }
    return siblings;
  }

  void PairSimilarNames() {
    std::vector<std::tuple<double, const KeyGroup*, const KeyGroup*>> candidates;
    const GroupsByMembers keys = FreeGroups(keys_);
    for (const auto& [members, slots] : FreeGroups(slots_)) {
      const auto found = keys.find(members);
      if (found == keys.end()) continue;
      for (const KeyGroup* slot : slots) {
        for (const KeyGroup* key : found->second) {
          if (comparisons_ <= 0) break;
          if (!LeavesAgree(*slot, *key)) continue;
          candidates.emplace_back(-Compare(slot->pattern, key->pattern), slot, key);
        }
      }
    }
    std::sort(candidates.begin(), candidates.end());
    for (const auto& [unlikeness, slot, key] : candidates) {
      if (IsFree(*slot) && IsFree(*key)) Take({{slot}, {key}, "", -unlikeness});
    }
  }

  double Compare(absl::string_view a, absl::string_view b) { return --comparisons_ < 0 ? 0 : SharedPieces(a, b); }

  const std::vector<KeyGroup>& slots_;
  const std::vector<KeyGroup>& keys_;
  std::vector<GroupPair> pairs_;
  absl::flat_hash_set<const KeyGroup*> taken_;
  int comparisons_ = kMaxComparisons;
  int64_t siblings_ = kMaxSiblings;
};

constexpr size_t kMaxSize = 96;

// A piece of both names.
struct Piece {
  size_t a = 0, b = 0, size = 0;
};

// The longest piece; the first of several.
Piece LongestPiece(absl::string_view a, absl::string_view b) {
  Piece longest;
  // The sizes of the pieces that end at the character of `a` before this one and at each of `b`.
  std::vector<size_t> ending(b.size() + 1), previous(b.size() + 1);
  for (size_t i = 0; i < a.size(); ++i) {
    std::swap(ending, previous);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t size = a[i] == b[j] ? previous[j] + 1 : 0;
      ending[j + 1] = size;
      if (size > longest.size) longest = {i + 1 - size, j + 1 - size, size};
    }
  }
  return longest;
}

size_t SharedSize(absl::string_view a, absl::string_view b) {
  size_t shared = 0;
  std::vector<std::pair<absl::string_view, absl::string_view>> rest = {{a, b}};
  while (!rest.empty()) {
    const auto [left, right] = rest.back();
    rest.pop_back();
    const Piece piece = LongestPiece(left, right);
    if (piece.size == 0) continue;
    shared += piece.size;
    rest.emplace_back(left.substr(0, piece.a), right.substr(0, piece.b));
    rest.emplace_back(left.substr(piece.a + piece.size), right.substr(piece.b + piece.size));
  }
  return shared;
}

// Gives a group of several members the numbers that all of them have, in the place of their placeholders:
// "blocks.0.{i}.w" for "blocks.{i}.{j}.w". A list that wraps others, or one item of a list, is no layer.
void NameSharedNumbers(KeyGroup& group) {
  if (group.members.size() < 2) return;
  const std::vector<int64_t>& first = group.members.begin()->first;
  std::vector<bool> is_shared(first.size(), true);
  for (const auto& [indices, shape] : group.members) {
    for (size_t i = 0; i < indices.size(); ++i) is_shared[i] = is_shared[i] && indices[i] == first[i];
  }
  std::vector<std::string> parts = absl::StrSplit(group.pattern, '.');
  size_t place = 0, kept = 0;
  for (std::string& part : parts) {
    if (part[0] != '{') continue;
    part = is_shared[place] ? absl::StrCat(first[place]) : absl::StrCat("{", kPlaceholders.substr(kept++, 1), "}");
    ++place;
  }
  KeyGroup::Members members;
  for (const auto& [indices, shape] : group.members) {
    std::vector<int64_t> own;
    for (size_t i = 0; i < indices.size(); ++i) {
      if (!is_shared[i]) own.push_back(indices[i]);
    }
    members.emplace(std::move(own), shape);
  }
  group = {absl::StrJoin(parts, "."), std::move(members)};
}

absl::string_view End(absl::string_view name) { return name.substr(name.size() - std::min(name.size(), kMaxSize)); }

}  // namespace

std::vector<KeyGroup> GroupKeys(const std::vector<NamedShape>& tensors) {
  std::vector<KeyGroup> groups;
  absl::flat_hash_map<std::string, size_t> known;
  for (const NamedShape& tensor : tensors) {
    if (tensor.name.size() > kMaxName) continue;
    std::vector<std::string> parts = absl::StrSplit(tensor.name, '.');
    if (!std::all_of(parts.begin(), parts.end(), IsPlain)) continue;
    std::vector<int64_t> indices;
    for (std::string& part : parts) {
      int64_t index = 0;
      if (indices.size() == kPlaceholders.size() || !IsIndex(part) || !absl::SimpleAtoi(part, &index)) continue;
      part = absl::StrCat("{", kPlaceholders.substr(indices.size(), 1), "}");
      indices.push_back(index);
    }
    std::string pattern = absl::StrJoin(parts, ".");
    const auto [place, is_new] = known.emplace(pattern, groups.size());
    if (is_new) groups.push_back({std::move(pattern), {}});
    groups[place->second].members.emplace(std::move(indices), *tensor.shape);
  }
  for (KeyGroup& group : groups) NameSharedNumbers(group);
  return groups;
}

std::vector<GroupPair> PairGroups(const std::vector<KeyGroup>& slots, const std::vector<KeyGroup>& keys) {
  return Pairing(slots, keys).Run();
}

double SharedPieces(absl::string_view a, absl::string_view b) {
  a = End(a);
  b = End(b);
  if (a.empty() && b.empty()) return 1;
  return 2.0 * SharedSize(a, b) / (a.size() + b.size());
}

}  // namespace modelport
