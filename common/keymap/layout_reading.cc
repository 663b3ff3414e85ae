#include "common/keymap/layout_reading.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_split.h"
#include "absl/types/optional.h"

namespace modelport {
namespace {

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

bool Matches(const KeyPattern& pattern, const Layout& layout, const CheckpointTensor& tensor) {
  const absl::string_view name = StripPrefixes(layout, tensor.key);
  return layout.old_names.empty() ? pattern.Matches(name) : pattern.Matches(PresentName(layout, name));
}

std::vector<const KeyPattern*> FindUnmatched(const Layout& layout, const StateDict& dict) {
  std::vector<const KeyPattern*> unmatched;
  for (const KeyPattern& pattern : layout.recognise) {
    const bool matches = std::any_of(dict.tensors.begin(), dict.tensors.end(),
                                     [&](const CheckpointTensor& tensor) { return Matches(pattern, layout, tensor); });
    if (!matches) unmatched.push_back(&pattern);
  }
  return unmatched;
}

}  // namespace

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
  std::map<Preference, std::pair<const StateDict*, absl::string_view>> dicts;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    absl::optional<Preference> best = FindPreference(layout, dict.path);
    absl::string_view path = dict.path;
    for (const std::string& other : dict.also) {
      const absl::optional<Preference> preference = FindPreference(layout, other);
      if (!preference || (best && *best < *preference)) continue;
      best = preference;
      path = other;
    }
    if (best) dicts.emplace(*best, std::make_pair(&dict, path));
  }
  std::vector<LayoutReading> readings;
  for (const auto& [preference, dict] : dicts) {
    readings.push_back(ReadDict(layout, checkpoint, *dict.first, dict.second));
  }
  return readings;
}

}  // namespace modelport
