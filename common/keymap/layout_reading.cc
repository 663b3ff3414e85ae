#include "common/keymap/layout_reading.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {
namespace {

// Places in `layout.unwrap` of the steps that lead to a dictionary, none for the root; orders dictionaries by
// preference.
using Preference = std::vector<size_t>;

absl::optional<Preference> FindPreference(const Layout& layout, const std::string& path) {
  Preference preference;
  if (path.empty()) return preference;
  for (absl::string_view step : absl::StrSplit(path, '.')) {
    const auto place = std::find(layout.unwrap.begin(), layout.unwrap.end(), step);
    if (place == layout.unwrap.end()) return absl::nullopt;
    preference.push_back(place - layout.unwrap.begin());
  }
  return preference;
}

bool ConsumeOnePrefix(const Layout& layout, absl::string_view* key) {
  const auto consume = [&](const std::string& prefix) {
    if (prefix.empty() || key->size() == prefix.size() || !absl::StartsWith(*key, prefix)) return false;
    key->remove_prefix(prefix.size());
    return true;
  };
  return consume(layout.prefix) || std::any_of(layout.strip.begin(), layout.strip.end(), consume);
}

LayoutReading ReadDict(const Layout& layout, const StateDict& dict) {
  LayoutReading reading{&layout, &dict, {}, {}};
  for (const CheckpointTensor& tensor : dict.tensors) {
    absl::string_view name = tensor.key;
    while (ConsumeOnePrefix(layout, &name)) {
    }
    reading.keys.push_back({std::string(name), &tensor});
  }
  for (const KeyPattern& pattern : layout.recognise) {
    const bool matches = std::any_of(reading.keys.begin(), reading.keys.end(),
                                     [&](const SourceKey& key) { return pattern.Match(key.name).has_value(); });
    if (!matches) reading.unmatched.push_back(&pattern);
  }
  return reading;
}

}  // namespace

std::vector<LayoutReading> ReadLayout(const Layout& layout, const Checkpoint& checkpoint) {
  std::map<Preference, const StateDict*> dicts;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    const absl::optional<Preference> preference = FindPreference(layout, dict.path);
    if (preference.has_value()) dicts.emplace(*preference, &dict);
  }
  std::vector<LayoutReading> readings;
  for (const auto& [preference, dict] : dicts) readings.push_back(ReadDict(layout, *dict));
  return readings;
}

}  // namespace modelport
