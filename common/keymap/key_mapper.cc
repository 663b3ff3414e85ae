#include "common/keymap/key_mapper.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/keymap/comparison.h"
#include "common/keymap/left_out.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"
#include "common/text/first_few.h"
#include "common/text/nearest.h"
#include "common/text/printable.h"

namespace modelport {
namespace {

constexpr size_t kSearched = 4096;  // How many unexpected keys are searched for names near a missing one.

// Collects the counts of the first line and the details below it.
class FitReport {
 public:
  // Adds a group of problems: `what` follows their number in the first line, `describe` returns the text of one.
  template <typename T, typename Describe>
  void AddGroup(const std::vector<T>& problems, absl::string_view what, absl::string_view title, Describe describe) {
    if (problems.empty()) return;
    counts_.push_back(absl::StrCat(problems.size(), " ", what));
    const auto line = [&](size_t i) { return absl::StrCat(title, ": ", describe(problems[i])); };
    absl::StrAppend(&details_, FirstFewLines(problems.size(), "  ", line, title));
  }

  std::string Text() const { return absl::StrCat(absl::StrJoin(counts_, ", "), details_); }

 private:
  std::vector<std::string> counts_;
  std::string details_;
};

std::string NearestIn(absl::string_view where, absl::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string> near = Nearest(name, candidates);
  return near.empty() ? "" : absl::StrCat("; nearest in the ", where, ": ", absl::StrJoin(near, ", "));
}

std::string WrongShape(const Misfit& misfit) {
  return absl::StrCat(misfit.slot->name, " wants ", ShapeString(misfit.slot->shape), ", has ",
                      ShapeString(misfit.source.shape()));
}

std::string WrongDType(const Misfit& misfit) {
  const absl::optional<DType>& wanted = misfit.slot->dtype;
  return absl::StrCat(misfit.slot->name, " wants ", wanted.has_value() ? DTypeName(*wanted) : "a floating dtype",
                      ", has ", DTypeName(misfit.source.dtype()));
}

// " wants layer.0.query.weight, layer.0.key.weight" where other keys fill the slot than one of its own name.
std::string MissingKeys(const MissingSlot& missing) {
  if (missing.keys.size() == 1 && missing.keys.front() == missing.slot->name) return "";
  return absl::StrCat(" is made of ", FirstFew(missing.keys));
}

void AddKeyGroups(const ModuleTree& tree, const Comparison& comparison, FitReport* report) {
  std::vector<std::string> missing, unexpected;
  for (const MissingSlot& slot : comparison.missing) missing.insert(missing.end(), slot.keys.begin(), slot.keys.end());
  for (size_t i = 0; i < std::min(comparison.unexpected.size(), kSearched); ++i) {
    unexpected.emplace_back(comparison.unexpected[i].name);
  }
  report->AddGroup(comparison.missing, absl::StrCat("of ", tree.slots.size(), " keys missing"), "missing",
                   [&](const MissingSlot& missing) {
                     return absl::StrCat(missing.slot->name, " ", ShapeString(missing.slot->shape),
                                         MissingKeys(missing), NearestIn("file", missing.keys.front(), unexpected));
                   });
  report->AddGroup(comparison.unexpected, "unexpected", "unexpected", [&](const SourceKey& key) {
    return absl::StrCat(Brief(key.tensor->key), " ", ShapeString(key.tensor->shape),
                        NearestIn("model", key.name, missing));
  });
}

constexpr size_t kPrefixes = 8;  // The greatest number of parts of a suggested prefix.

// The longest prefix of all names that ends with a dot: "", "model." or "model.net.".
absl::string_view SharedPrefix(const std::vector<SourceKey>& keys) {
  absl::string_view shared = keys.front().name;
  for (const SourceKey& key : keys) {
    const auto end = std::mismatch(shared.begin(), shared.end(), key.name.begin(), key.name.end()).first;
    shared = shared.substr(0, end - shared.begin());
  }
  return shared.substr(0, shared.rfind('.') + 1);
}

// The number of `keys` that are in `names` without their first `size` bytes.
size_t CountFound(const std::vector<SourceKey>& keys, size_t size,
                  const absl::flat_hash_set<absl::string_view>& names) {
  return std::count_if(keys.begin(), keys.end(),
                       [&](const SourceKey& key) { return names.contains(key.name.substr(size)); });
}

std::string PrefixHint(const Comparison& comparison) {
  const std::vector<SourceKey>& unexpected = comparison.unexpected;
  if (unexpected.empty()) return "";
  absl::flat_hash_set<absl::string_view> missing;
  for (const MissingSlot& slot : comparison.missing) missing.insert(slot.keys.begin(), slot.keys.end());
  const absl::string_view shared = SharedPrefix(unexpected);
  size_t size = 0;
  for (size_t parts = 0; parts < kPrefixes && size < shared.size(); ++parts) {
    size = shared.find('.', size) + 1;
    if (CountFound(unexpected, size, missing) * 2 < unexpected.size()) continue;
    const std::string prefix = Brief(shared.substr(0, size));
    return absl::StrCat("\n  all unexpected keys begin with ", prefix, ": --prefix=", prefix,
                        " compares with what is behind it");
  }
  return "";
}

std::string CounterHint(const std::vector<SourceKey>& unexpected) {
  const size_t counters = std::count_if(unexpected.begin(), unexpected.end(), [](const SourceKey& key) {
    return absl::EndsWith(key.name, ".num_batches_tracked") && key.tensor->shape.empty();
  });
  if (counters == 0) return "";
  return absl::StrCat("\n  ", counters, " unexpected ", counters == 1 ? "key is a counter" : "keys are counters",
                      " of BatchNorm: list them under unused as ",
                      "{key: \"{path*}.num_batches_tracked\", reason: counts the batches of training}");
}

// Whether a table of positions, [1, rows, channels], has another number of rows.
bool IsOfAnotherImageSize(const Misfit& misfit) {
  Shape shape = misfit.source.shape();
  const Shape& wanted = misfit.slot->shape;
  if (!misfit.slot->positions || shape.size() != wanted.size() || shape.size() < 2 || shape[1] == wanted[1])
    return false;
  shape[1] = wanted[1];
  return shape == wanted;
}

std::string ResampleHint(const Comparison& comparison) {
  const bool has_table =
      std::any_of(comparison.wrong_shape.begin(), comparison.wrong_shape.end(), IsOfAnotherImageSize);
  if (!has_table || comparison.reading.resamples) return "";
  return "\n  a table of positions is of another image size: export --resample makes one of the wanted size, as timm "
         "does";
}

std::string UnreadHint(const Comparison& comparison) { return comparison.unread.empty() ? "" : kOrdinaryTensorsHint; }

// Says that the weights are quantised, if numbers of one byte have scales beside them for which the model has no place.
std::string QuantisedHint(const Comparison& comparison) {
  const std::vector<SourceKey>& keys = comparison.reading.keys->keys;
  const bool has_bytes = std::any_of(keys.begin(), keys.end(), [](const SourceKey& key) {
    return ByteSize(key.tensor->dtype) == 1 && key.tensor->dtype != DType::kBool;
  });
  const auto scale = std::find_if(comparison.unexpected.begin(), comparison.unexpected.end(), [](const SourceKey& key) {
    return absl::StrContains(key.name.substr(key.name.rfind('.') + 1), "scale");
  });
  if (!has_bytes || scale == comparison.unexpected.end()) return "";
  return absl::StrCat("\n  its weights are quantised: ", Brief(scale->tensor->key),
                      " scales numbers of one byte; take the file in float16, bfloat16 or float32 that it was made of");
}

// Lists the `rules` that match none of `names`. `name_of` returns the name of one of them.
template <typename T, typename NameOf>
std::string IdleRules(const std::vector<Allowance>& rules, const std::vector<T>& names, NameOf name_of) {
  std::vector<std::string> idle;
  for (const Allowance& rule : rules) {
    const auto matches = [&](const T& name) { return rule.key.Matches(name_of(name)); };
    if (std::any_of(names.begin(), names.end(), matches)) continue;
    idle.push_back(absl::StrCat(rule.key.text(), " (", MarkString(rule.mark), ")"));
  }
  return FirstFew(idle);
}

// The last part of `pattern` that is no placeholder: "head" of "net.head.{rest*}".
std::string LastLiteral(const KeyPattern& pattern) {
  std::string last;
  for (const absl::string_view part : absl::StrSplit(pattern.text(), '.')) {
    if (!absl::StartsWith(part, "{")) last = std::string(part);
  }
  return last;
}

// The rules that may have been meant for an unexpected key: a part of one is like the rule's last.
std::vector<Allowance> MeantRules(const std::vector<Allowance>& rules, const std::vector<SourceKey>& unexpected) {
  std::set<std::string> parts;
  for (const SourceKey& key : unexpected) {
    for (const absl::string_view part : absl::StrSplit(key.name, '.')) parts.emplace(part);
  }
  const std::vector<std::string> all(parts.begin(), parts.end());
  std::vector<Allowance> meant;
  std::copy_if(rules.begin(), rules.end(), std::back_inserter(meant), [&](const Allowance& rule) {
    const std::string last = LastLiteral(rule.key);
    return last.empty() || !Nearest(last, all).empty();
  });
  return meant;
}

std::string IdleUnusedHint(const Comparison& comparison) {
  if (comparison.unexpected.empty()) return "";
  const std::string idle = IdleRules(MeantRules(comparison.reading.layout->unused, comparison.unexpected),
                                     comparison.reading.keys->keys, [](const SourceKey& key) { return key.name; });
  if (idle.empty()) return "";
  return absl::StrCat("\n  rules of `unused` that match no key: ", idle,
                      "; they see keys after `prefix`, `strip` and `renames`");
}

std::string IdleMissingHint(const ModuleTree& tree, const Comparison& comparison) {
  if (comparison.missing.empty()) return "";
  const std::string idle = IdleRules(comparison.reading.layout->missing, tree.slots,
                                     [](const Slot& slot) -> absl::string_view { return slot.name; });
  return idle.empty() ? "" : absl::StrCat("\n  rules of `missing` that match no parameter or buffer: ", idle);
}

}  // namespace

absl::StatusOr<KeyMapper> KeyMapper::Make(const Checkpoint& checkpoint, const KeyMap& key_map,
                                          const SourceChoice& choice) {
  ASSIGN_OR_RETURN(std::vector<LayoutReadings> layouts, ReadLayouts(checkpoint, key_map, choice));
  return KeyMapper(checkpoint, key_map, std::move(layouts), choice.layout_flag);
}

absl::StatusOr<Comparison> KeyMapper::Compare(const ModuleTree& tree, absl::string_view model) const {
  return CompareInLayout(*checkpoint_, layouts_, tree, model, layout_flag_);
}

absl::StatusOr<Plan> KeyMapper::MakePlan(const ModuleTree& tree, absl::string_view model) const {
  return MakePlan(Compare(tree, model), tree, model);
}

absl::StatusOr<Plan> KeyMapper::MakePlan(absl::StatusOr<Comparison> comparison, const ModuleTree& tree,
                                         absl::string_view model) const {
  RETURN_IF_ERROR(comparison.status());
  if (!comparison->fits()) return FitError(checkpoint_->path(), model, tree, *comparison);
  comparison->plan.left_out = FindLeftOut(*checkpoint_, *comparison->reading.dict);
  return std::move(comparison->plan);
}

bool KeyMapper::Fits(const ModuleTree& tree) const { return FitsInLayout(layouts_, tree, /*is_whole=*/false); }

bool KeyMapper::FitsWhole(const ModuleTree& tree) const { return FitsInLayout(layouts_, tree, /*is_whole=*/true); }

absl::StatusOr<Plan> MakePlan(const Checkpoint& checkpoint, const KeyMap& key_map, const ModuleTree& tree,
                              const SourceChoice& choice, absl::string_view model) {
  ASSIGN_OR_RETURN(const KeyMapper mapper, KeyMapper::Make(checkpoint, key_map, choice));
  return mapper.MakePlan(tree, model);
}

absl::Status FitError(absl::string_view path, absl::string_view model, const ModuleTree& tree,
                      const Comparison& comparison) {
  const LayoutReading& reading = comparison.reading;
  const Layout& layout = *reading.layout;
  FitReport report;
  report.AddGroup(reading.unmatched, absl::StrCat("of ", layout.recognise.size(), " marks absent"), "absent mark",
                  [](const KeyPattern* pattern) { return absl::StrCat("no key matches ", pattern->text()); });
  report.AddGroup(reading.keys->collisions, "given twice", "twice", [](const Collision& collision) {
    return absl::StrCat(Brief(collision.name), " is both ", Brief(collision.first->key), " and ",
                        Brief(collision.second->key));
  });
  report.AddGroup(reading.keys->idle_rules, absl::StrCat("of ", layout.renames.size(), " rules match nothing"),
                  "idle rule", [](const Rename* rule) {
                    return absl::StrCat(MarkString(rule->mark), ": ", rule->from.text(), " -> ", rule->to.text());
                  });
  AddKeyGroups(tree, comparison, &report);
  report.AddGroup(comparison.unread, "of a kind that is not read", "not read",
                  [](const UnreadKey& unread) { return absl::StrCat(Brief(unread.key), ", ", unread.kind); });
  report.AddGroup(comparison.wrong_shape, "of wrong shape", "wrong shape", WrongShape);
  report.AddGroup(comparison.wrong_dtype, "of wrong dtype", "wrong dtype", WrongDType);
  report.AddGroup(comparison.unconvertible, "cannot be made", "cannot be made", [](const Unconvertible& slot) {
    return absl::StrCat(slot.slot->name, " (", MarkString(slot.mark), "): ", slot.problem);
  });
  const std::string where = reading.path.empty() ? "" : absl::StrCat(" in ", DictName(reading.path));
  return absl::FailedPreconditionError(absl::StrCat(path, ": does not fit ", model, " (layout ", layout.name, where,
                                                    "): ", report.Text(), FitHints(tree, comparison)));
}

std::string FitHints(const ModuleTree& tree, const Comparison& comparison) {
  return absl::StrCat(FileHint(*comparison.reading.checkpoint), PrefixHint(comparison),
                      CounterHint(comparison.unexpected), UnreadHint(comparison), ResampleHint(comparison),
                      QuantisedHint(comparison), IdleUnusedHint(comparison), IdleMissingHint(tree, comparison));
}

}  // namespace modelport
