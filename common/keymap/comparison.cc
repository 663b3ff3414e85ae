#include "common/keymap/comparison.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "common/tensor/dtype.h"

namespace modelport {
namespace {

const Allowance* FindAllowance(const std::vector<Allowance>& allowances, absl::string_view name) {
  for (const Allowance& allowance : allowances) {
    if (allowance.key.Matches(name)) return &allowance;
  }
  return nullptr;
}

// The tensor that fills `slot`, null if there is none, and the key that it is stored as.
std::pair<const CheckpointTensor*, std::string> FindSource(const Slot& slot, const LayoutReading& reading) {
  const auto& by_name = reading.keys->by_name;
  const auto own = by_name.find(slot.name);
  if (own != by_name.end()) return {own->second, slot.name};
  std::string stored_key = reading.layout->StoredKey(slot.name);
  const auto stored = by_name.find(stored_key);
  return {stored == by_name.end() ? nullptr : stored->second, std::move(stored_key)};
}

bool FitsDType(const CheckpointTensor& tensor, const Slot& slot) {
  return slot.dtype.has_value() ? tensor.dtype == *slot.dtype : IsFloating(tensor.dtype);
}

bool FitsSlot(const CheckpointTensor& tensor, const Slot& slot) {
  return tensor.shape == slot.shape && FitsDType(tensor, slot);
}

void FillSlot(const Slot& slot, Comparison* comparison) {
  SlotSource source;
  auto [tensor, stored_key] = FindSource(slot, comparison->reading);
  source.tensor = tensor;
  if (tensor != nullptr) {
    if (stored_key != slot.name) comparison->plan.aliases.emplace_back(slot.name, std::move(stored_key));
    if (tensor->shape != slot.shape) comparison->wrong_shape.push_back({&slot, tensor});
    if (!FitsDType(*tensor, slot)) comparison->wrong_dtype.push_back({&slot, tensor});
  } else if (const Allowance* allowance = FindAllowance(comparison->reading.layout->missing, slot.name)) {
    source.reason = allowance->reason;
  } else {
    comparison->missing.push_back(&slot);
  }
  comparison->plan.sources.push_back(std::move(source));
}

void AccountForKeys(const ModuleTree& tree, Comparison* comparison) {
  absl::flat_hash_set<absl::string_view> slots;
  for (const Slot& slot : tree.slots) slots.insert(slot.name);
  for (const SourceKey& key : comparison->reading.keys->keys) {
    if (slots.contains(key.name)) continue;
    if (const Allowance* allowance = FindAllowance(comparison->reading.layout->unused, key.name)) {
      comparison->plan.unused.emplace_back(key.tensor->key, allowance->reason);
    } else {
      comparison->unexpected.push_back(key);
    }
  }
}

}  // namespace

bool Comparison::fits() const {
  return reading.recognised() && reading.keys->collisions.empty() && reading.keys->idle_rules.empty() &&
         missing.empty() && unexpected.empty() && wrong_shape.empty() && wrong_dtype.empty();
}

Comparison Compare(LayoutReading reading, const ModuleTree& tree) {
  Comparison comparison;
  comparison.reading = std::move(reading);
  if (comparison.reading.keys == nullptr) {
    comparison.reading.keys = RenameKeys(*comparison.reading.layout, *comparison.reading.dict);
  }
  comparison.plan.layout = comparison.reading.layout->name;
  comparison.plan.state_dict = std::string(comparison.reading.path);
  for (const Slot& slot : tree.slots) FillSlot(slot, &comparison);
  AccountForKeys(tree, &comparison);
  return comparison;
}

bool Fits(const LayoutReading& reading, const ModuleTree& tree) {
  if (!reading.recognised()) return false;
  for (const Slot& slot : tree.slots) {
    const CheckpointTensor* const tensor = FindSource(slot, reading).first;
    if (tensor != nullptr ? !FitsSlot(*tensor, slot) : !FindAllowance(reading.layout->missing, slot.name)) return false;
  }
  return Compare(reading, tree).fits();
}

}  // namespace modelport
