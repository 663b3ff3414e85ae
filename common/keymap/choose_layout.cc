#include "common/keymap/choose_layout.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/keymap/layout_reading.h"
#include "common/keymap/left_out.h"
#include "common/keymap/source_choice.h"
#include "common/status/annotate.h"
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

std::string PatternTexts(const std::vector<const KeyPattern*>& patterns) {
  return absl::StrJoin(patterns, ", ", [](std::string* out, auto* pattern) { absl::StrAppend(out, pattern->text()); });
}

std::string KeysOf(const StateDict& dict) {
  std::vector<std::string> keys;
  for (const CheckpointTensor& tensor : dict.tensors) keys.push_back(tensor.key);
  return absl::StrCat(DictName(dict.path), " holds ", FirstFew(keys));
}

std::string AdapterHint(const Checkpoint& checkpoint) {
  for (const StateDict& dict : checkpoint.state_dicts()) {
    for (const CheckpointTensor& tensor : dict.tensors) {
      if (!absl::StartsWith(tensor.key, "lora_") && !absl::StrContains(tensor.key, ".lora_")) continue;
      return absl::StrCat("\n  it holds a LoRA adapter, ", Brief(tensor.key),
                          ", and not the model: merge it into the model ",
                          "with merge_and_unload() of peft, and save the state dict of that");
    }
  }
  return "";
}

// By a name such as "model-00002-of-00003.safetensors", whose index is "model.safetensors.index.json".
std::string ShardHint(absl::string_view path) {
  constexpr absl::string_view kOf = "-of-";
  constexpr size_t kDigits = 5;
  const absl::string_view name = path.substr(path.rfind('/') + 1);  // All of it without a slash: npos is -1.
  const size_t of = name.rfind(kOf);
  if (of == name.npos || of < kDigits + 1 || name.size() < of + kOf.size() + kDigits) return "";
  const absl::string_view number = name.substr(of - kDigits, kDigits), count = name.substr(of + kOf.size(), kDigits);
  for (const absl::string_view text : {number, count}) {
    if (!std::all_of(text.begin(), text.end(), absl::ascii_isdigit)) return "";
  }
  int shards = 0;
  if (name[of - kDigits - 1] != '-' || !absl::SimpleAtoi(count, &shards) || shards < 2) return "";
  return absl::StrCat(
      "\n  its name says that it is one of ", shards, " files of a checkpoint: pass ",
      Brief(absl::StrCat(name.substr(0, of - kDigits - 1), name.substr(of + kOf.size() + kDigits), ".index.json")),
      ", which is published beside them");
}

// Lists the patterns that no key matches, layout by layout, and the keys of the file.
absl::Status Unrecognised(const Checkpoint& checkpoint, absl::string_view model,
                          const std::vector<LayoutReadings>& layouts, absl::string_view layout_flag) {
  std::string text = absl::StrCat(checkpoint.path(), ": does not fit ", model, ": no layout is recognised");
  for (const auto& [layout, readings] : layouts) {
    if (readings.empty()) {
      absl::StrAppend(&text, "\n  layout ", layout->name, ": no dictionary has keys like ",
                      absl::StrJoin(layout->recognise, ", ", [](std::string* out, const KeyPattern& pattern) {
                        absl::StrAppend(out, pattern.text());
                      }));
    }
    for (size_t i = 0; i < std::min(readings.size(), kShown); ++i) {
      if (readings[i].recognised()) break;  // Parts of dictionaries, which follow those that are not recognised.
      absl::StrAppend(&text, "\n  layout ", layout->name, ": no key in ", DictName(readings[i].path), " matches ",
                      PatternTexts(readings[i].unmatched));
    }
  }
  const std::vector<StateDict>& dicts = checkpoint.state_dicts();
  for (size_t i = 0; i < std::min(dicts.size(), kShown); ++i) absl::StrAppend(&text, "\n  ", KeysOf(dicts[i]));
  absl::StrAppend(&text, UnreadTensorsHint(checkpoint), FileHint(checkpoint));
  if (layouts.size() > 1) absl::StrAppend(&text, "\n  --", layout_flag, "=NAME compares with that layout in full");
  if (dicts.size() > 1 || !dicts[0].path.empty()) {
    absl::StrAppend(&text, "\n  --state_dict=PATH compares with that dictionary");
  }
  return absl::FailedPreconditionError(text);
}

absl::Status AmbiguousReading(const Checkpoint& checkpoint, absl::string_view model, const LayoutReading& first,
                              const LayoutReading& second, absl::string_view layout_flag) {
  // Of several dictionaries a prefix alone does not tell which.
  const bool is_one = checkpoint.state_dicts().size() == 1;
  const auto is_part = [&](const LayoutReading& reading) { return is_one && !reading.prefix.empty(); };
  const auto name = [&](const LayoutReading& reading) {
    return is_part(reading) ? absl::StrCat("the keys ", Brief(reading.prefix), "*") : DictName(reading.path);
  };
  const auto flag = [&](const LayoutReading& reading) {
    return is_part(reading) ? absl::StrCat("--prefix=", Brief(reading.prefix))
                            : absl::StrCat("--state_dict=", Brief(DictFlag(reading.path)));
  };
  const bool is_layout = first.layout != second.layout;
  std::string text = absl::StrCat(checkpoint.path(), ": ",
                                  is_layout        ? "two layouts"
                                  : is_part(first) ? "two parts"
                                                   : "two dictionaries",
                                  " fit ", model, " and differ");
  for (const LayoutReading* reading : {&first, &second}) {
    absl::StrAppend(&text, "\n  ", is_layout ? absl::StrCat("layout ", reading->layout->name, ", ") : "",
                    name(*reading), ": ", reading->dict->tensors.size(), " tensors; ",
                    is_layout ? absl::StrCat("--", layout_flag, "=", reading->layout->name) : flag(*reading),
                    " takes it");
  }
  return absl::FailedPreconditionError(text);
}

// The slots that get a tensor of their shape.
size_t FilledSlots(const Comparison& comparison) {
  const std::vector<SlotSource>& sources = comparison.plan.sources;
  const auto is_filled = [](const SlotSource& source) { return source.constant() == nullptr; };
  return std::count_if(sources.begin(), sources.end(), is_filled) - comparison.wrong_shape.size();
}

// Compares with the reading that fills most slots; the first of several.
Comparison CompareBest(const std::vector<const LayoutReading*>& readings, const ModuleTree& tree) {
  Comparison best = Compare(*readings.front(), tree);
  for (size_t i = 1; i < readings.size(); ++i) {
    Comparison other = Compare(*readings[i], tree);
    if (FilledSlots(other) > FilledSlots(best)) best = std::move(other);
  }
  return best;
}

// The readings of `layouts` that are recognised, or all of them.
std::vector<const LayoutReading*> SelectReadings(const std::vector<LayoutReadings>& layouts, bool recognised) {
  std::vector<const LayoutReading*> readings;
  for (const LayoutReadings& layout : layouts) {
    for (const LayoutReading& reading : layout.readings) {
      if (!recognised || reading.recognised()) readings.push_back(&reading);
    }
  }
  return readings;
}

// The comparisons that fit. Of those that fill the slots alike, the first of the best rank.
std::vector<Comparison> FittingComparisons(const std::vector<const LayoutReading*>& readings, const ModuleTree& tree) {
  std::vector<Comparison> fitting;
  for (const LayoutReading* reading : readings) {
    absl::optional<Comparison> comparison = CompareIfFits(*reading, tree);
    if (!comparison) continue;
    const auto equal = std::find_if(fitting.begin(), fitting.end(), [&](const Comparison& other) {
      return other.plan.sources == comparison->plan.sources;
    });
    if (equal == fitting.end()) {
      fitting.push_back(*std::move(comparison));
    } else if (reading->rank < equal->reading.rank) {
      *equal = *std::move(comparison);
    }
  }
  return fitting;
}

// Leaves out the parts of dictionaries that fill less than half of the slots: a few keys that have a model's names
// behind a prefix do not make it that model.
void DropSmallParts(const ModuleTree& tree, std::vector<const LayoutReading*>& readings) {
  const auto is_small = [&](const LayoutReading* reading) {
    return !reading->prefix.empty() && FilledSlots(Compare(*reading, tree)) * 2 < tree.slots.size();
  };
  readings.erase(std::remove_if(readings.begin(), readings.end(), is_small), readings.end());
}

// Leaves those whose dictionaries are of the first rank.
void KeepPreferred(std::vector<Comparison>& fitting) {
  DictRank first = DictRank::kPart;
  for (const Comparison& comparison : fitting) first = std::min(first, comparison.reading.rank);
  const auto is_later = [first](const Comparison& comparison) { return comparison.reading.rank > first; };
  fitting.erase(std::remove_if(fitting.begin(), fitting.end(), is_later), fitting.end());
}

}  // namespace

std::string UnreadTensorsHint(const Checkpoint& checkpoint) {
  std::vector<std::string> unread;
  for (const LooseTensors& loose : checkpoint.loose()) {
    if (loose.key.empty() && !absl::StrContains(loose.path, "_packed_params")) continue;
    unread.push_back(absl::StrCat(loose.path, " (", loose.holder, ")"));
  }
  return unread.empty() ? "" : absl::StrCat("\n  not read: ", FirstFew(unread), kOrdinaryTensorsHint);
}

std::string FileHint(const Checkpoint& checkpoint) {
  return absl::StrCat(AdapterHint(checkpoint), ShardHint(checkpoint.path()));
}

absl::StatusOr<std::vector<LayoutReadings>> ReadLayouts(const Checkpoint& checkpoint, const KeyMap& key_map,
                                                        const SourceChoice& choice) {
  ASSIGN_OR_RETURN(const std::vector<const Layout*> layouts, SelectLayouts(key_map, choice.layout));
  absl::optional<FoundDict> chosen;
  if (choice.state_dict) {
    absl::StatusOr<FoundDict> found = FindDict(checkpoint, *choice.state_dict);
    if (!found.ok()) return Annotate(found.status(), checkpoint.path());
    chosen = *found;
  }
  std::vector<LayoutReadings> readings;
  for (const Layout* layout : layouts) {
    if (!chosen) {
      readings.push_back({layout, ReadLayout(*layout, checkpoint)});
    } else {
      readings.push_back({layout, {ReadDict(*layout, checkpoint, *chosen->dict, chosen->path)}});
    }
    for (LayoutReading& reading : readings.back().readings) reading.resamples = choice.resample;
  }
  return readings;
}

absl::StatusOr<Comparison> CompareInLayout(const Checkpoint& checkpoint, const std::vector<LayoutReadings>& layouts,
                                           const ModuleTree& tree, absl::string_view model,
                                           absl::string_view layout_flag) {
  std::vector<const LayoutReading*> readings = SelectReadings(layouts, /*recognised=*/true);
  std::vector<Comparison> fitting = FittingComparisons(readings, tree);
  KeepPreferred(fitting);
  if (fitting.size() == 1) return std::move(fitting.front());
  if (fitting.size() > 1)
    return AmbiguousReading(checkpoint, model, fitting[0].reading, fitting[1].reading, layout_flag);
  DropSmallParts(tree, readings);
  if (readings.empty() && layouts.size() == 1) {
    readings = SelectReadings(layouts, /*recognised=*/false);
    DropSmallParts(tree, readings);
  }
  if (readings.empty()) return Unrecognised(checkpoint, model, layouts, layout_flag);
  return CompareBest(readings, tree);
}

bool FitsInLayout(const std::vector<LayoutReadings>& layouts, const ModuleTree& tree, bool is_whole) {
  const std::vector<const LayoutReading*> readings = SelectReadings(layouts, /*recognised=*/true);
  return std::any_of(readings.begin(), readings.end(), [&](const LayoutReading* reading) {
    return !(is_whole && reading->others > 0) && CompareIfFits(*reading, tree).has_value();
  });
}

}  // namespace modelport
