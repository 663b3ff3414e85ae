#include "artifact/build/bind_parts.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "common/status/status_macros.h"

namespace modelport {
namespace {

// Removes the slots that are left out.
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

absl::Status BindParts(const KeptOutputs& kept, DType dtype, const std::string& made, ArtifactWeights& weights) {
  const std::set<std::string> left_out(kept.left_out_slots.begin(), kept.left_out_slots.end());
  for (MappedPart& mapped : weights.mapped) {
    if (!left_out.empty()) KeepSlotsOf(left_out, mapped);
    ASSIGN_OR_RETURN(BoundTensors tensors, BindTensors(mapped.checkpoint, mapped.plan, mapped.part.tree, dtype, made));
    weights.bound.push_back(std::move(tensors));
  }
  return absl::OkStatus();
}

std::vector<at::Tensor> AllTensors(const ArtifactWeights& weights) {
  std::vector<at::Tensor> tensors;
  for (const BoundTensors& part : weights.bound)
    tensors.insert(tensors.end(), part.tensors.begin(), part.tensors.end());
  return tensors;
}

absl::Status CheckUnchanged(const ArtifactWeights& weights) {
  for (const MappedPart& mapped : weights.mapped) RETURN_IF_ERROR(mapped.checkpoint.CheckUnchanged());
  return absl::OkStatus();
}

}  // namespace modelport
