#include "common/keymap/comparison.h"

#include <map>
#include <set>

#include "absl/strings/string_view.h"
#include "common/tensor/dtype.h"

namespace modelport {
namespace {

using Sources = std::map<absl::string_view, const CheckpointTensor*>;

void RenameKeys(Comparison* comparison) {
  for (const Rename& rename : comparison->reading.layout->renames) {
    bool matches = false;
    for (SourceKey& key : comparison->reading.keys) {
      const absl::optional<KeyBindings> bindings = rename.from.Match(key.name);
      if (!bindings.has_value()) continue;
      key.name = rename.to.Substitute(*bindings);
      matches = true;
    }
    if (!matches) comparison->idle_rules.push_back(&rename);
  }
}

Sources IndexKeys(Comparison* comparison) {
  Sources sources;
  for (const SourceKey& key : comparison->reading.keys) {
    const auto [first, is_new] = sources.emplace(key.name, key.tensor);
    if (!is_new) comparison->collisions.push_back({key.name, first->second, key.tensor});
  }
  return sources;
}

const Allowance* FindAllowance(const std::vector<Allowance>& allowances, absl::string_view name) {
  for (const Allowance& allowance : allowances) {
    if (allowance.key.Match(name).has_value()) return &allowance;
  }
  return nullptr;
}

void FillSlot(const Slot& slot, const Sources& sources, Comparison* comparison) {
  SlotSource source;
  const std::string stored_key = comparison->reading.layout->StoredKey(slot.name);
  auto found = sources.find(slot.name);
  if (found == sources.end() && stored_key != slot.name) {
    found = sources.find(stored_key);
    if (found != sources.end()) comparison->plan.aliases.emplace_back(slot.name, stored_key);
  }
  if (found != sources.end()) {
    source.tensor = found->second;
    if (source.tensor->shape != slot.shape) comparison->wrong_shape.push_back({&slot, source.tensor});
    if (!IsFloating(source.tensor->dtype)) comparison->wrong_dtype.push_back({&slot, source.tensor});
  } else if (const Allowance* allowance = FindAllowance(comparison->reading.layout->missing, slot.name)) {
    source.reason = allowance->reason;
  } else {
    comparison->missing.push_back(&slot);
  }
  comparison->plan.sources.push_back(std::move(source));
}

void AccountForKeys(const ModuleTree& tree, Comparison* comparison) {
  std::set<absl::string_view> slots;
  for (const Slot& slot : tree.slots) slots.insert(slot.name);
  for (const SourceKey& key : comparison->reading.keys) {
    if (slots.count(key.name) > 0) continue;
    if (const Allowance* allowance = FindAllowance(comparison->reading.layout->unused, key.name)) {
      comparison->plan.unused.emplace_back(key.tensor->key, allowance->reason);
    } else {
      comparison->unexpected.push_back(key);
    }
  }
}

}  // namespace

bool Comparison::fits() const {
  return reading.recognised() && collisions.empty() && idle_rules.empty() && missing.empty() && unexpected.empty() &&
         wrong_shape.empty() && wrong_dtype.empty();
}

Comparison Compare(LayoutReading reading, const ModuleTree& tree) {
  Comparison comparison;
  comparison.reading = std::move(reading);
  comparison.plan.layout = comparison.reading.layout->name;
  comparison.plan.state_dict = comparison.reading.dict->path;
  RenameKeys(&comparison);
  const Sources sources = IndexKeys(&comparison);
  for (const Slot& slot : tree.slots) FillSlot(slot, sources, &comparison);
  AccountForKeys(tree, &comparison);
  return comparison;
}

}  // namespace modelport
