#include "common/keymap/choose_layout.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/keymap/layout_reading.h"
#include "common/keymap/left_out.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr size_t kShown = 3;  // How many dictionaries a message names.

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

// The dictionary `path` and its path, which is the checkpoint's own.
absl::StatusOr<std::pair<const StateDict*, absl::string_view>> FindDict(const Checkpoint& checkpoint,
                                                                        const std::string& path) {
  std::vector<std::string> paths;
  for (const StateDict& dict : checkpoint.state_dicts()) {
    if (dict.path == path) return std::make_pair(&dict, absl::string_view(dict.path));
    const auto other = std::find(dict.also.begin(), dict.also.end(), path);
    if (other != dict.also.end()) return std::make_pair(&dict, absl::string_view(*other));
    paths.push_back(dict.path.empty() ? "." : dict.path);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(checkpoint.path(), ": no dictionary \"", Brief(path), "\" holds tensors", NearestHint(path, paths)));
}

std::string PatternTexts(const std::vector<const KeyPattern*>& patterns) {
  return absl::StrJoin(patterns, ", ", [](std::string* out, auto* pattern) { absl::StrAppend(out, pattern->text()); });
}

std::string DictsOf(const Layout& layout) {
  std::vector<std::string> names = {DictName("")};
  for (const std::string& name : layout.unwrap) names.push_back(DictName(name));
  return absl::StrJoin(names, ", ");
}

std::string KeysOf(const StateDict& dict) {
  std::vector<std::string> keys;
  for (const CheckpointTensor& tensor : dict.tensors) keys.push_back(tensor.key);
  return absl::StrCat(DictName(dict.path), " holds ", FirstFew(keys));
}

// Lists the patterns that no key matches, layout by layout, and the keys of the file.
absl::Status Unrecognised(const Checkpoint& checkpoint, absl::string_view model,
                          const std::vector<LayoutReadings>& layouts) {
  std::string text = absl::StrCat(checkpoint.path(), ": does not fit ", model, ": no layout is recognised");
  for (const auto& [layout, readings] : layouts) {
    if (readings.empty()) absl::StrAppend(&text, "\n  layout ", layout->name, " is looked for in ", DictsOf(*layout));
    for (size_t i = 0; i < std::min(readings.size(), kShown); ++i) {
      absl::StrAppend(&text, "\n  layout ", layout->name, ": no key in ", DictName(readings[i].path), " matches ",
                      PatternTexts(readings[i].unmatched));
    }
  }
  const std::vector<StateDict>& dicts = checkpoint.state_dicts();
  for (size_t i = 0; i < std::min(dicts.size(), kShown); ++i) absl::StrAppend(&text, "\n  ", KeysOf(dicts[i]));
  if (layouts.size() > 1) absl::StrAppend(&text, "\n  --layout=NAME compares with that layout in full");
  if (dicts.size() > 1 || !dicts[0].path.empty()) {
    absl::StrAppend(&text, "\n  --state_dict=PATH compares with that dictionary");
  }
  return absl::FailedPreconditionError(text);
}

const LayoutReading& FirstRecognised(const LayoutReadings& layout) {
  return *std::find_if(layout.readings.begin(), layout.readings.end(), [](const auto& r) { return r.recognised(); });
}

absl::Status AmbiguousLayout(const Checkpoint& checkpoint, absl::string_view model,
                             const std::vector<const LayoutReadings*>& recognised) {
  std::string text =
      absl::StrCat(checkpoint.path(), ": does not fit ", model, ": ", recognised.size(), " layouts are recognised");
  for (const LayoutReadings* readings : recognised) {
    std::vector<const KeyPattern*> patterns;
    for (const KeyPattern& pattern : readings->layout->recognise) patterns.push_back(&pattern);
    absl::StrAppend(&text, "\n  layout ", readings->layout->name, ": ", DictName(FirstRecognised(*readings).path),
                    " has ", PatternTexts(patterns));
  }
  return absl::FailedPreconditionError(absl::StrCat(text, "\n  --layout=NAME chooses one"));
}

absl::Status AmbiguousDict(const Checkpoint& checkpoint, absl::string_view model, const LayoutReading& first,
                           const LayoutReading& second) {
  std::string text = absl::StrCat(checkpoint.path(), ": two dictionaries fit ", model, " and differ");
  for (const LayoutReading* reading : {&first, &second}) {
    absl::StrAppend(&text, "\n  ", DictName(reading->path), ": ", reading->dict->tensors.size(),
                    " tensors; --state_dict=", reading->path.empty() ? "." : Brief(reading->path), " takes it");
  }
  return absl::FailedPreconditionError(text);
}

size_t FilledSlots(const Comparison& comparison) {
  const std::vector<SlotSource>& sources = comparison.plan.sources;
  return std::count_if(sources.begin(), sources.end(), [](const SlotSource& s) { return s.zeros() == nullptr; });
}

absl::StatusOr<Comparison> CompareBest(const Checkpoint& checkpoint, const LayoutReadings& layout,
                                       const ModuleTree& tree, absl::string_view model) {
  if (layout.readings.empty()) return Unrecognised(checkpoint, model, {layout});
  Comparison best = Compare(layout.readings.front(), tree);
  for (size_t i = 1; i < layout.readings.size(); ++i) {
    Comparison other = Compare(layout.readings[i], tree);
    if (FilledSlots(other) > FilledSlots(best)) best = std::move(other);
  }
  return best;
}

absl::StatusOr<Comparison> CompareRecognised(const Checkpoint& checkpoint, const LayoutReadings& layout,
                                             const ModuleTree& tree, absl::string_view model) {
  absl::optional<Comparison> fitting;
  for (const LayoutReading& reading : layout.readings) {
    absl::optional<Comparison> comparison = CompareIfFits(reading, tree);
    if (!comparison) continue;
    if (!fitting) {
      fitting = std::move(comparison);
    } else if (fitting->plan.sources != comparison->plan.sources) {
      return AmbiguousDict(checkpoint, model, fitting->reading, reading);
    }
  }
  return fitting ? *std::move(fitting) : Compare(FirstRecognised(layout), tree);
}

std::vector<const LayoutReadings*> Recognised(const std::vector<LayoutReadings>& layouts) {
  std::vector<const LayoutReadings*> recognised;
  for (const LayoutReadings& layout : layouts) {
    if (layout.recognised()) recognised.push_back(&layout);
  }
  return recognised;
}

}  // namespace

bool LayoutReadings::recognised() const {
  return std::any_of(readings.begin(), readings.end(), [](const LayoutReading& r) { return r.recognised(); });
}

absl::StatusOr<std::vector<LayoutReadings>> ReadLayouts(const Checkpoint& checkpoint, const KeyMap& key_map,
                                                        const SourceChoice& choice) {
  ASSIGN_OR_RETURN(const std::vector<const Layout*> layouts, SelectLayouts(key_map, choice.layout));
  const StateDict* dict = nullptr;
  absl::string_view path;
  if (choice.state_dict) {
    ASSIGN_OR_RETURN(std::tie(dict, path), FindDict(checkpoint, *choice.state_dict));
  }
  std::vector<LayoutReadings> readings;
  for (const Layout* layout : layouts) {
    if (dict == nullptr) {
      readings.push_back({layout, ReadLayout(*layout, checkpoint)});
    } else {
      readings.push_back({layout, {ReadDict(*layout, checkpoint, *dict, path)}});
    }
  }
  return readings;
}

absl::StatusOr<Comparison> CompareInLayout(const Checkpoint& checkpoint, const std::vector<LayoutReadings>& layouts,
                                           const ModuleTree& tree, absl::string_view model) {
  const std::vector<const LayoutReadings*> recognised = Recognised(layouts);
  if (recognised.size() == 1) return CompareRecognised(checkpoint, *recognised[0], tree, model);
  if (recognised.size() > 1) return AmbiguousLayout(checkpoint, model, recognised);
  if (layouts.size() == 1) return CompareBest(checkpoint, layouts[0], tree, model);
  return Unrecognised(checkpoint, model, layouts);
}

bool FitsInLayout(const std::vector<LayoutReadings>& layouts, const ModuleTree& tree) {
  const std::vector<const LayoutReadings*> recognised = Recognised(layouts);
  return recognised.size() == 1 &&
         std::any_of(recognised[0]->readings.begin(), recognised[0]->readings.end(),
                     [&](const LayoutReading& reading) { return CompareIfFits(reading, tree).has_value(); });
}

}  // namespace modelport
