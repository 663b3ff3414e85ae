#include "common/keymap/comparison.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/keymap/layout_reading.h"
#include "common/operation/constant.h"
#include "common/operation/operation.h"
#include "common/operation/slot_source.h"
#include "common/tensor/dtype.h"
#include "common/tensor/number.h"
#include "common/tensor/shape.h"

namespace modelport {
namespace {

bool AcceptsDType(const Slot& slot, DType dtype) {
  return slot.dtype.has_value() ? dtype == *slot.dtype : IsFloating(dtype);
}

// The names of the keys that fill slots.
using UsedKeys = absl::flat_hash_set<std::string>;

void FillWithConstant(const Slot& slot, const Allowance& allowance, Comparison* comparison) {
  const Constant constant = {slot.shape, slot.dtype.value_or(DType::kFloat32), allowance.reason, allowance.values};
  const auto refuse = [&](const std::string& why) {
    comparison->unconvertible.push_back({&slot, allowance.mark, why});
  };
  if (constant.values.size() != 1 && static_cast<int64_t>(constant.values.size()) != ElementCount(slot.shape)) {
    refuse(
        absl::StrCat("it has ", ShapeString(slot.shape), ", and field \"value\" ", constant.values.size(), " numbers"));
  }
  std::array<char, sizeof(int64_t)> element;
  for (const Number& value : constant.values) {
    if (WriteNumber(value, constant.dtype(), element.data())) continue;
    refuse(absl::StrCat(DTypeName(constant.dtype()), " does not hold the value ", NumberText(value)));
  }
  comparison->plan.sources.push_back(constant);
}

// The table of positions that `source` has, made for the size of `slot`; nullopt if that is not wanted or cannot be.
absl::optional<SlotSource> Resampled(const Slot& slot, const LayoutReading& reading, const SlotSource& source) {
  if (!reading.resamples || !slot.positions || source.shape() == slot.shape) return absl::nullopt;
  const int64_t first = *slot.positions, rows = slot.shape.size() < 2 ? 0 : slot.shape[1] - first;
  if (first < 0 || rows < 1) return absl::nullopt;
  const int64_t side = std::llround(std::sqrt(static_cast<double>(rows)));
  const absl::StatusOr<Operation> operation = MakeOperation("resample_antialias", {1, first, side, side});
  if (!operation.ok()) return absl::nullopt;
  absl::StatusOr<Computed> table = Computed::Make({source}, {*operation}, 0);
  if (!table.ok() || table->shape() != slot.shape) return absl::nullopt;
  return SlotSource(*std::move(table));
}

void FillSlot(const Slot& slot, Comparison* comparison, UsedKeys* used) {
  const LayoutReading& reading = comparison->reading;
  Plan& plan = comparison->plan;
  FoundSource found = FindSource(slot, reading);
  used->insert(found.keys.begin(), found.keys.end());
  if (found.other != nullptr) {
    comparison->unconvertible.push_back(
        {&slot, found.rule->mark, absl::StrCat("the rule at ", MarkString(found.other->mark), " fills it, too")});
  } else if (!found.problem.empty()) {
    comparison->unconvertible.push_back({&slot, found.rule->mark, found.problem});
  } else if (found.source) {
    SlotSource source = *found.source;
    if (found.is_aliased) plan.aliases.emplace_back(slot.name, found.keys.front());
    if (absl::optional<SlotSource> table = Resampled(slot, reading, source)) {
      source = *std::move(table);
      plan.is_resampled = true;
      plan.changed.push_back({slot.name, source.operation(), "--resample: the table is of another image size"});
    }
    if (source.shape() != slot.shape) comparison->wrong_shape.push_back({&slot, source});
    if (!AcceptsDType(slot, source.dtype())) comparison->wrong_dtype.push_back({&slot, source});
    if (const Computed* computed = found.source->computed(); computed != nullptr && computed->changes_numbers()) {
      plan.changed.push_back({slot.name, source.operation(), found.rule->one_way});
    }
    plan.sources.push_back(std::move(source));
  } else if (const Allowance* allowance = reading.layout->FindMissing(slot.name);
             allowance != nullptr && found.lacking.size() == found.keys.size()) {
    FillWithConstant(slot, *allowance, comparison);
  } else {
    comparison->missing.push_back({&slot, std::move(found.lacking)});
  }
}

void AccountForKeys(const UsedKeys& used, Comparison* comparison) {
  for (const SourceKey& key : comparison->reading.keys->keys) {
    if (used.contains(key.name)) continue;
    if (const Allowance* allowance = FindAllowance(comparison->reading.layout->unused, key.name)) {
      comparison->plan.unused.emplace_back(key.tensor->key, allowance->reason);
    } else {
      comparison->unexpected.push_back(key);
    }
  }
}

// The key of `loose` in the dictionary or part of one at `path`; nullopt if it is not an entry there.
absl::optional<absl::string_view> KeyWithin(const LooseTensors& loose, absl::string_view path) {
  absl::string_view key = loose.path;
  if (loose.key.empty()) return absl::nullopt;
  if (!path.empty() && !(absl::ConsumePrefix(&key, path) && absl::ConsumePrefix(&key, "."))) return absl::nullopt;
  // The keys of a part begin behind its prefix; a longer one is of a dictionary below.
  return key.size() <= loose.key.size() ? absl::make_optional(key) : absl::nullopt;
}

void AccountForUnread(Comparison* comparison) {
  const LayoutReading& reading = comparison->reading;
  for (const LooseTensors& loose : reading.checkpoint->loose()) {
    const absl::optional<absl::string_view> key = KeyWithin(loose, reading.dict->path);
    if (!key) continue;
    const std::string name = PresentName(*reading.layout, StripPrefixes(*reading.layout, *key));
    if (FindAllowance(reading.layout->unused, name) == nullptr) comparison->unread.push_back({loose.key, loose.holder});
  }
}

// A comparison that has seen no slot yet.
Comparison Begin(LayoutReading reading) {
  Comparison comparison;
  comparison.reading = std::move(reading);
  comparison.reading.keys = ReadKeys(comparison.reading);
  comparison.plan.layout = comparison.reading.layout->name;
  comparison.plan.note = comparison.reading.layout->note;
  comparison.plan.state_dict = std::string(comparison.reading.path);
  comparison.plan.module = comparison.reading.dict->module;
  comparison.plan.prefix = comparison.reading.prefix;
  comparison.plan.others = comparison.reading.others;
  for (const auto& [rule, tensors] : comparison.reading.keys->old_keys) {
    comparison.plan.old_names.push_back({rule->from.text(), rule->to.text(), rule->reason, tensors});
  }
  return comparison;
}

// The tensors named `found->keys`; writes the names that there are none for to `found->lacking`.
std::vector<SlotSource> FindInputs(const LayoutReading& reading, FoundSource* found) {
  std::vector<SlotSource> inputs;
  for (const std::string& key : found->keys) {
    const auto tensor = reading.keys->by_name.find(key);
    if (tensor == reading.keys->by_name.end()) {
      found->lacking.push_back(key);
    } else {
      inputs.emplace_back(Take{{*reading.checkpoint, tensor->second}});
    }
  }
  return inputs;
}

void Convert(const RuleMatch& match, std::vector<SlotSource> inputs, FoundSource* found) {
  absl::StatusOr<Computed> computed = Computed::Make(std::move(inputs), match.rule->operations, match.result);
  if (computed.ok()) {
    found->source = *std::move(computed);
  } else {
    found->problem = std::string(computed.status().message());
  }
}

FoundSource FindByRule(const RuleMatch& match, const LayoutReading& reading) {
  const Conversion& rule = *match.rule;
  FoundSource found;
  found.rule = &rule;
  for (size_t i = 0; i < rule.keys.size(); ++i) {
    if (rule.operations.empty() && i != match.result) continue;
    found.keys.push_back(rule.keys[i].Substitute(match.bindings));
  }
  std::vector<SlotSource> inputs = FindInputs(reading, &found);
  if (!found.lacking.empty()) return found;
  if (rule.operations.empty()) {
    found.source = std::move(inputs.front());
  } else {
    Convert(match, std::move(inputs), &found);
  }
  return found;
}

FoundSource FindByName(const Slot& slot, const LayoutReading& reading) {
  FoundSource found;
  const std::string own = reading.layout->OwnKey(slot.name);
  found.keys = {own};
  if (!reading.keys->by_name.contains(own)) {
    found.keys = {reading.layout->StoredKey(slot.name)};
    found.is_aliased = found.keys.front() != own;
  }
  std::vector<SlotSource> inputs = FindInputs(reading, &found);
  if (!inputs.empty()) found.source = std::move(inputs.front());
  return found;
}

}  // namespace

bool Comparison::fits() const {
  return reading.recognised() && reading.keys->collisions.empty() && reading.keys->idle_rules.empty() &&
         missing.empty() && unexpected.empty() && unread.empty() && wrong_shape.empty() && wrong_dtype.empty() &&
         unconvertible.empty();
}

Comparison Compare(LayoutReading reading, const ModuleTree& tree) {
  Comparison comparison = Begin(std::move(reading));
  UsedKeys used;
  for (const Slot& slot : tree.slots) FillSlot(slot, &comparison, &used);
  AccountForKeys(used, &comparison);
  AccountForUnread(&comparison);
  return comparison;
}

absl::optional<Comparison> CompareIfFits(const LayoutReading& reading, const ModuleTree& tree) {
  if (!reading.recognised()) return absl::nullopt;
  Comparison comparison = Begin(reading);
  UsedKeys used;
  for (const Slot& slot : tree.slots) {
    FillSlot(slot, &comparison, &used);
    if (!comparison.fits()) return absl::nullopt;
  }
  AccountForKeys(used, &comparison);
  AccountForUnread(&comparison);
  if (!comparison.fits()) return absl::nullopt;
  return comparison;
}

FoundSource FindSource(const Slot& slot, const LayoutReading& reading) {
  const std::vector<RuleMatch> matches =
      MatchRules(*reading.layout, slot.name, [&](const Conversion& rule) { return reading.keys->Applies(rule); });
  if (matches.empty()) return FindByName(slot, reading);
  FoundSource found = FindByRule(matches.front(), reading);
  if (matches.size() == 1) return found;
  // The keys of the other rule are not unexpected, too.
  found.other = matches[1].rule;
  for (const KeyPattern& key : matches[1].rule->keys) found.keys.push_back(key.Substitute(matches[1].bindings));
  return found;
}

std::vector<RuleMatch> MatchRules(const Layout& layout, absl::string_view slot,
                                  absl::FunctionRef<bool(const Conversion& rule)> applies) {
  std::vector<RuleMatch> matches;
  for (const Conversion& rule : layout.sources) {
    for (size_t i = 0; i < rule.slots.size(); ++i) {
      absl::optional<KeyBindings> bindings = rule.slots[i].Match(slot);
      if (bindings && applies(rule)) matches.push_back({&rule, *std::move(bindings), i});
    }
  }
  return matches;
}

}  // namespace modelport
