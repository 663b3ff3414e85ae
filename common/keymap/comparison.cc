#include "common/keymap/comparison.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/key_map.h"
#include "common/source/take.h"
#include "common/source/zeros.h"
#include "common/tensor/dtype.h"

namespace modelport {
namespace {

const Allowance* FindAllowance(const std::vector<Allowance>& allowances, absl::string_view name) {
  for (const Allowance& allowance : allowances) {
    if (allowance.key.Matches(name)) return &allowance;
  }
  return nullptr;
}

// The tensor that the file holds for `slot`, null if there is none, and the key that it is stored as.
std::pair<const CheckpointTensor*, std::string> FindTensor(const Slot& slot, const LayoutReading& reading) {
  const auto& by_name = reading.keys->by_name;
  const auto own = by_name.find(slot.name);
  if (own != by_name.end()) return {own->second, slot.name};
  std::string stored_key = reading.layout->StoredKey(slot.name);
  const auto stored = by_name.find(stored_key);
  return {stored == by_name.end() ? nullptr : stored->second, std::move(stored_key)};
}

bool AcceptsDType(const Slot& slot, DType dtype) {
  return slot.dtype.has_value() ? dtype == *slot.dtype : IsFloating(dtype);
}

void FillSlot(const Slot& slot, Comparison* comparison) {
  const LayoutReading& reading = comparison->reading;
  Plan& plan = comparison->plan;
  auto [tensor, stored_key] = FindTensor(slot, reading);
  if (tensor != nullptr) {
    const SlotSource source = Take{{*reading.checkpoint, tensor}};
    if (stored_key != slot.name) plan.aliases.emplace_back(slot.name, std::move(stored_key));
    if (source.shape() != slot.shape) comparison->wrong_shape.push_back({&slot, source});
    if (!AcceptsDType(slot, source.dtype())) comparison->wrong_dtype.push_back({&slot, source});
    plan.sources.push_back(source);
  } else if (const Allowance* allowance = FindAllowance(reading.layout->missing, slot.name)) {
    plan.sources.push_back(Zeros{slot.shape, slot.dtype.value_or(DType::kFloat32), allowance->reason});
  } else {
    comparison->missing.push_back(&slot);
  }
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

// A comparison that has seen no slot yet.
Comparison Begin(LayoutReading reading) {
  Comparison comparison;
  comparison.reading = std::move(reading);
  comparison.reading.keys = ReadKeys(comparison.reading);
  comparison.plan.layout = comparison.reading.layout->name;
  comparison.plan.state_dict = std::string(comparison.reading.path);
  return comparison;
}

}  // namespace

bool Comparison::fits() const {
  return reading.recognised() && reading.keys->collisions.empty() && reading.keys->idle_rules.empty() &&
         missing.empty() && unexpected.empty() && wrong_shape.empty() && wrong_dtype.empty();
}

Comparison Compare(LayoutReading reading, const ModuleTree& tree) {
  Comparison comparison = Begin(std::move(reading));
  for (const Slot& slot : tree.slots) FillSlot(slot, &comparison);
  AccountForKeys(tree, &comparison);
  return comparison;
}

absl::optional<Comparison> CompareIfFits(const LayoutReading& reading, const ModuleTree& tree) {
  if (!reading.recognised()) return absl::nullopt;
  Comparison comparison = Begin(reading);
  for (const Slot& slot : tree.slots) {
    FillSlot(slot, &comparison);
    if (!comparison.fits()) return absl::nullopt;
  }
  AccountForKeys(tree, &comparison);
  if (!comparison.fits()) return absl::nullopt;
  return comparison;
}

}  // namespace modelport
