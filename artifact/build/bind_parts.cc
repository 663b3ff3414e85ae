#include "artifact/build/bind_parts.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "common/status/status_macros.h"

namespace modelport {
namespace {

void KeepSlotsOf(const std::set<std::string>& left_out, MappedPart& mapped) {
  const auto is_out = [&](const std::string& slot) { return left_out.count(mapped.part.SlotName(slot)) > 0; };
  Plan& plan = mapped.plan;
  std::vector<Slot> slots;
  std::vector<SlotSource> sources;
  for (size_t i = 0; i < plan.sources.size(); ++i) {
    Slot& slot = mapped.part.tree.slots[i];
    if (is_out(slot.name)) continue;
    slots.push_back(std::move(slot));
    sources.push_back(std::move(plan.sources[i]));
  }
  mapped.part.tree.slots = std::move(slots);
  plan.sources = std::move(sources);
  const auto drop = [](auto& items, const auto& is_dropped) {
    items.erase(std::remove_if(items.begin(), items.end(), is_dropped), items.end());
  };
  drop(plan.changed, [&](const ChangedSlot& changed) { return is_out(changed.slot); });
  drop(plan.aliases, [&](const auto& alias) { return is_out(alias.first); });
}

}  // namespace

absl::StatusOr<std::vector<BoundTensors>> BindParts(const std::vector<MappedPart>& parts, DType dtype,
                                                    const std::string& made) {
  std::vector<BoundTensors> bound;
  for (const MappedPart& mapped : parts) {
    ASSIGN_OR_RETURN(BoundTensors tensors, BindTensors(mapped.checkpoint, mapped.plan, mapped.part.tree, dtype, made));
    bound.push_back(std::move(tensors));
  }
  return bound;
}

std::vector<at::Tensor> AllTensors(const std::vector<BoundTensors>& bound) {
  std::vector<at::Tensor> tensors;
  for (const BoundTensors& part : bound) tensors.insert(tensors.end(), part.tensors.begin(), part.tensors.end());
  return tensors;
}

absl::Status CheckUnchanged(const std::vector<MappedPart>& parts) {
  for (const MappedPart& mapped : parts) RETURN_IF_ERROR(mapped.checkpoint.CheckUnchanged());
  return absl::OkStatus();
}

void KeepSlots(const KeptOutputs& kept, std::vector<MappedPart>& parts) {
  const std::set<std::string> left_out(kept.left_out_slots.begin(), kept.left_out_slots.end());
  if (left_out.empty()) return;
  for (MappedPart& part : parts) KeepSlotsOf(left_out, part);
}

}  // namespace modelport
