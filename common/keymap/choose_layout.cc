#include "common/keymap/choose_layout.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/keymap/fit_error.h"
#include "common/keymap/layout_reading.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

absl::StatusOr<std::vector<const Layout*>> SelectLayouts(const KeyMap& key_map, absl::string_view name) {
  std::vector<const Layout*> layouts;
  std::vector<std::string> names;
  for (const Layout& layout : key_map.layouts) {
    names.push_back(layout.name);
    if (name == "auto" || name == layout.name) layouts.push_back(&layout);
  }
  if (!layouts.empty()) return layouts;
  return absl::InvalidArgumentError(absl::StrCat("unknown layout \"", name, "\"", NearestHint(name, names)));
}

std::string PatternTexts(const std::vector<const KeyPattern*>& patterns) {
  return absl::StrJoin(patterns, ", ", [](std::string* out, auto* pattern) { absl::StrAppend(out, pattern->text()); });
}

std::string PlacesOf(const Layout& layout) {
  std::vector<std::string> places = {DictName("")};
  for (const std::string& name : layout.unwrap) places.push_back(DictName(name));
  return absl::StrJoin(places, ", ");
}

std::string KeysOf(const StateDict& dict) {
  std::vector<std::string> keys;
  for (const CheckpointTensor& tensor : dict.tensors) keys.push_back(tensor.key);
  return absl::StrCat(DictName(dict.path), " holds ", FirstFew(keys));
}

// What the file holds, after the readings that did not lead to a layout.
absl::Status Unrecognised(const Checkpoint& checkpoint, absl::string_view model,
                          const std::vector<const Layout*>& layouts) {
  std::string text = absl::StrCat(checkpoint.path(), ": does not fit ", model, ": no layout is recognised");
  for (const Layout* layout : layouts) {
    const std::vector<LayoutReading> readings = ReadLayout(*layout, checkpoint);
    if (readings.empty()) absl::StrAppend(&text, "\n  layout ", layout->name, " stands in ", PlacesOf(*layout));
    for (const LayoutReading& reading : readings) {
      absl::StrAppend(&text, "\n  layout ", layout->name, ": no key in ", DictName(reading.dict->path), " matches ",
                      PatternTexts(reading.unmatched));
    }
  }
  const std::vector<StateDict>& dicts = checkpoint.state_dicts();
  for (size_t i = 0; i < std::min<size_t>(dicts.size(), 3); ++i) absl::StrAppend(&text, "\n  ", KeysOf(dicts[i]));
  if (layouts.size() > 1) absl::StrAppend(&text, "\n  --layout=NAME compares with that layout in full");
  return absl::FailedPreconditionError(text);
}

absl::Status Ambiguous(const Checkpoint& checkpoint, absl::string_view model,
                       const std::vector<LayoutReading>& recognised) {
  std::string text =
      absl::StrCat(checkpoint.path(), ": does not fit ", model, ": ", recognised.size(), " layouts are recognised");
  for (const LayoutReading& reading : recognised) {
    std::vector<const KeyPattern*> patterns;
    for (const KeyPattern& pattern : reading.layout->recognise) patterns.push_back(&pattern);
    absl::StrAppend(&text, "\n  layout ", reading.layout->name, ": ", DictName(reading.dict->path), " has ",
                    PatternTexts(patterns));
  }
  return absl::FailedPreconditionError(absl::StrCat(text, "\n  --layout=NAME chooses one"));
}

size_t FilledSlots(const Comparison& comparison) {
  const std::vector<SlotSource>& sources = comparison.plan.sources;
  return std::count_if(sources.begin(), sources.end(), [](const SlotSource& s) { return s.tensor != nullptr; });
}

absl::StatusOr<Comparison> CompareBest(const Checkpoint& checkpoint, const Layout& layout, const ModuleTree& tree,
                                       absl::string_view model) {
  std::vector<Comparison> comparisons;
  for (LayoutReading& reading : ReadLayout(layout, checkpoint))
    comparisons.push_back(Compare(std::move(reading), tree));
  if (comparisons.empty()) return Unrecognised(checkpoint, model, {&layout});
  return std::move(*std::max_element(comparisons.begin(), comparisons.end(),
                                     [](const auto& a, const auto& b) { return FilledSlots(a) < FilledSlots(b); }));
}

}  // namespace

absl::StatusOr<Comparison> CompareInLayout(const Checkpoint& checkpoint, const KeyMap& key_map, const ModuleTree& tree,
                                           absl::string_view layout, absl::string_view model) {
  ASSIGN_OR_RETURN(const std::vector<const Layout*> layouts, SelectLayouts(key_map, layout));
  std::vector<LayoutReading> recognised;
  for (const Layout* candidate : layouts) {
    std::vector<LayoutReading> readings = ReadLayout(*candidate, checkpoint);
    const auto reading = std::find_if(readings.begin(), readings.end(), [](const auto& r) { return r.recognised(); });
    if (reading != readings.end()) recognised.push_back(std::move(*reading));
  }
  if (recognised.size() == 1) return Compare(std::move(recognised[0]), tree);
  if (recognised.size() > 1) return Ambiguous(checkpoint, model, recognised);
  if (layouts.size() == 1) return CompareBest(checkpoint, *layouts[0], tree, model);
  return Unrecognised(checkpoint, model, layouts);
}

}  // namespace modelport
