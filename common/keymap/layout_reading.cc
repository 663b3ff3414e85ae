#include "common/keymap/layout_reading.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/types/optional.h"

namespace modelport {
namespace {

// Never leaves an empty key.
bool ConsumePrefix(const std::string& prefix, absl::string_view* key) {
  if (prefix.empty() || key->size() == prefix.size() || !absl::StartsWith(*key, prefix)) return false;
  key->remove_prefix(prefix.size());
  return true;
}

bool ConsumeAny(const std::vector<std::string>& prefixes, absl::string_view* key) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [key](const std::string& prefix) { return ConsumePrefix(prefix, key); });
}

// Renames the keys that match, and returns how many do.
int64_t RenameMatching(const KeyPattern& from, const KeyPattern& to, SourceKeys* source) {
  int64_t count = 0;
  for (SourceKey& key : source->keys) {
    const absl::optional<KeyBindings> bindings = from.Match(key.name);
    if (!bindings.has_value()) continue;
    key.name = source->renamed.emplace_back(to.Substitute(*bindings));
    ++count;
  }
  return count;
}

void ApplyRenames(const Layout& layout, SourceKeys* source) {
  for (const OldName& old : layout.old_names) {
    const int64_t count = RenameMatching(old.from, old.to, source);
    if (count > 0) source->old_keys.push_back({&old, count});
  }
  for (const Rename& rename : layout.renames) {
    if (RenameMatching(rename.from, rename.to, source) == 0) source->idle_rules.push_back(&rename);
  }
}

void FindInapplicable(const Layout& layout, SourceKeys* source) {
  for (const Conversion& rule : layout.sources) {
    const auto matches = [&](const SourceKey& key) { return rule.when->Matches(key.name); };
    if (rule.when && std::none_of(source->keys.begin(), source->keys.end(), matches))
      source->inapplicable.insert(&rule);
  }
}

constexpr size_t kMaxSteps = 4;

// The positions in `layout.unwrap` of the steps that lead to a dictionary, none for the root. Dictionaries are
// preferred in the order of these lists.
using Preference = std::vector<size_t>;

absl::optional<Preference> FindPreference(const Layout& layout, absl::string_view path) {
  Preference preference;
  if (path.empty()) return preference;
  for (absl::string_view step : absl::StrSplit(path, '.')) {
    const auto found = std::find(layout.unwrap.begin(), layout.unwrap.end(), step);
    if (found == layout.unwrap.end() || preference.size() == kMaxSteps) return absl::nullopt;
    preference.push_back(found - layout.unwrap.begin());
  }
  return preference;
}

// What training loops call the weights that they average over time.
constexpr absl::string_view kAveraged[] = {"ema",        "ema_model",  "ema_state_dict", "model_ema",
                                           "params-ema", "params_ema", "state_dict_ema"};

bool IsAveraged(absl::string_view path) {
  const std::vector<absl::string_view> steps = absl::StrSplit(path, '.');
  return std::find_first_of(steps.begin(), steps.end(), std::begin(kAveraged), std::end(kAveraged)) != steps.end();
}

// A dictionary under one of its paths.
struct Place {
  const StateDict* dict;
  absl::string_view path;
  DictRank rank;
  Preference preference;
};

Place PlaceOf(const Layout& layout, const StateDict& dict, absl::string_view path) {
  absl::optional<Preference> preference = FindPreference(layout, path);
  const DictRank rank = IsAveraged(path)         ? DictRank::kAveraged
                        : preference.has_value() ? DictRank::kUnwrapped
                                                 : DictRank::kOther;
  return {&dict, path, rank, std::move(preference).value_or(Preference())};
}

bool IsPreferred(const Place& a, const Place& b) {
  return std::tie(a.rank, a.preference) < std::tie(b.rank, b.preference);
}

bool Matches(const KeyPattern& pattern, const Layout& layout, absl::string_view key) {
  const absl::string_view name = StripPrefixes(layout, key);
  return layout.old_names.empty() ? pattern.Matches(name) : pattern.Matches(PresentName(layout, name));
}

std::vector<const KeyPattern*> FindUnmatched(const Layout& layout, const StateDict& dict) {
  std::vector<const KeyPattern*> unmatched;
  for (const KeyPattern& pattern : layout.recognise) {
    const bool matches = std::any_of(dict.tensors.begin(), dict.tensors.end(), [&](const CheckpointTensor& tensor) {
      return Matches(pattern, layout, tensor.key);
    });
    if (!matches) unmatched.push_back(&pattern);
  }
  return unmatched;
}

constexpr size_t kMaxPrefixes = 8;
constexpr size_t kMaxPrefixParts = 6;
constexpr size_t kMaxTensors = 100000;  // Of a dictionary in which prefixes are looked for.

// The prefixes of keys, up to a dot, without which a key matches each pattern of `recognise`: "model.", "module.net.".
// None that begins with another. In the order of the file.
std::vector<absl::string_view> FindPrefixes(const Layout& layout, const StateDict& dict) {
  if (dict.tensors.size() > kMaxTensors) return {};
  absl::flat_hash_map<absl::string_view, std::set<const KeyPattern*>> matched;
  std::vector<absl::string_view> prefixes;
  for (const CheckpointTensor& tensor : dict.tensors) {
    const absl::string_view key = tensor.key;
    size_t end = key.find('.');
    for (size_t parts = 0; parts < kMaxPrefixParts && end != key.npos; ++parts, end = key.find('.', end + 1)) {
      const absl::string_view prefix = key.substr(0, end + 1);
      if (std::any_of(prefixes.begin(), prefixes.end(),
                      [&](absl::string_view shorter) { return absl::StartsWith(prefix, shorter); })) {
        break;
      }
      for (const KeyPattern& pattern : layout.recognise) {
        if (Matches(pattern, layout, key.substr(end + 1))) matched[prefix].insert(&pattern);
      }
      const auto found = matched.find(prefix);
      if (found != matched.end() && found->second.size() == layout.recognise.size()) prefixes.push_back(prefix);
      if (prefixes.size() == kMaxPrefixes) return prefixes;
    }
  }
  return prefixes;
}

// Whether all keys of `dict` begin with `prefix`, but for scalars, such as the n_averaged of torch's AveragedModel.
bool BeginAlike(const StateDict& dict, absl::string_view prefix) {
  return std::all_of(dict.tensors.begin(), dict.tensors.end(), [&](const CheckpointTensor& tensor) {
    return tensor.shape.empty() || absl::StartsWith(tensor.key, prefix);
  });
}

}  // namespace

absl::string_view StripPrefixes(const Layout& layout, absl::string_view key) {
  while (ConsumeAny(layout.strip, &key)) {
  }
  if (!ConsumePrefix(layout.prefix, &key)) return key;
  while (ConsumeAny(layout.strip, &key)) {
  }
  return key;
}

std::string PresentName(const Layout& layout, absl::string_view name) {
  std::string present(name);
  for (const OldName& old : layout.old_names) {
    const absl::optional<KeyBindings> bindings = old.from.Match(present);
    if (bindings.has_value()) present = old.to.Substitute(*bindings);
  }
  return present;
}

std::shared_ptr<const SourceKeys> RenameKeys(const Layout& layout, const StateDict& dict) {
  auto source = std::make_shared<SourceKeys>();
  source->keys.reserve(dict.tensors.size());
  for (const CheckpointTensor& tensor : dict.tensors) {
    source->keys.push_back({StripPrefixes(layout, tensor.key), &tensor});
  }
  ApplyRenames(layout, source.get());
  FindInapplicable(layout, source.get());
  source->by_name.reserve(source->keys.size());
  for (const SourceKey& key : source->keys) {
    const auto [first, is_new] = source->by_name.emplace(key.name, key.tensor);
    if (!is_new) source->collisions.push_back({key.name, first->second, key.tensor});
  }
  return source;
}

LayoutReading ReadDict(const Layout& layout, const Checkpoint& checkpoint, const StateDict& dict,
                       absl::string_view path) {
  LayoutReading reading{&layout, &checkpoint, &dict, path, FindUnmatched(layout, dict), nullptr};
  if (reading.recognised()) reading.keys = RenameKeys(layout, dict);
  return reading;
}

std::shared_ptr<const SourceKeys> ReadKeys(const LayoutReading& reading) {
  return reading.keys != nullptr ? reading.keys : RenameKeys(*reading.layout, *reading.dict);
}

std::vector<LayoutReading> ReadLayout(const Layout& layout, const Checkpoint& checkpoint) {
  std::vector<Place> places;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    Place best = PlaceOf(layout, dict, dict.path);
    for (const std::string& other : dict.also) best = std::min(best, PlaceOf(layout, dict, other), IsPreferred);
    places.push_back(std::move(best));
  }
  std::stable_sort(places.begin(), places.end(), IsPreferred);
  std::vector<LayoutReading> readings, parts;
  for (const Place& place : places) {
    LayoutReading reading = ReadDict(layout, checkpoint, *place.dict, place.path);
    reading.rank = place.rank;
    const bool is_recognised = reading.recognised();
    if (is_recognised || place.rank != DictRank::kOther) readings.push_back(std::move(reading));
    if (is_recognised && layout.strip.empty()) continue;
    for (const absl::string_view prefix : FindPrefixes(layout, *place.dict)) {
      const StateDict& part = *checkpoint.FindPart(*place.dict, prefix);
      // A model behind a prefix that is stripped is recognised as a whole, also beside keys that are not its own.
      const auto begins = [&](const std::string& stripped) { return absl::StartsWith(prefix, stripped); };
      const bool is_stripped = std::any_of(layout.strip.begin(), layout.strip.end(), begins);
      if (is_recognised && (!is_stripped || part.tensors.size() == place.dict->tensors.size())) continue;
      LayoutReading& found = parts.emplace_back(ReadDict(layout, checkpoint, part, part.path));
      found.prefix = std::string(prefix);
      const bool is_all = BeginAlike(*place.dict, prefix);
      found.others = is_all ? 0 : place.dict->tensors.size() - part.tensors.size();
      found.rank = is_all ? place.rank : DictRank::kPart;
    }
  }
  std::move(parts.begin(), parts.end(), std::back_inserter(readings));
  return readings;
}

}  // namespace modelport
