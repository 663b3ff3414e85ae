#include "common/keymap/likeness.h"

#include "common/keymap/choose_layout.h"
#include "common/keymap/comparison.h"
#include "common/keymap/layout_reading.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// The largest published model has 5000.
constexpr size_t kMaxKeys = 100000;
constexpr size_t kMaxBytes = 16 << 20;

bool IsSmall(const StateDict& dict) {
  if (dict.tensors.size() > kMaxKeys) return false;
  size_t bytes = 0;
  for (const CheckpointTensor& tensor : dict.tensors) bytes += tensor.key.size();
  return bytes <= kMaxBytes;
}

}  // namespace

absl::StatusOr<Likeness> Likeness::Make(const Checkpoint& checkpoint, const KeyMap& key_map,
                                        const SourceChoice& choice) {
  ASSIGN_OR_RETURN(const std::vector<LayoutReadings> layouts, ReadLayouts(checkpoint, key_map, choice));
  std::vector<LayoutReading> readings;
  for (const LayoutReadings& layout : layouts) {
    if (layout.readings.empty() || !IsSmall(*layout.readings.front().dict)) continue;
    readings.push_back(layout.readings.front());
    readings.back().keys = ReadKeys(readings.back());
  }
  return Likeness(std::move(readings));
}

Likeness::Score Likeness::Of(const ModuleTree& tree) const {
  Score best;
  for (const LayoutReading& reading : readings_) {
    size_t agree = 0;
    for (const Slot& slot : tree.slots) {
      const FoundSource found = FindSource(slot, reading);
      if (!found.source) continue;
      agree += found.keys.size() + (found.source->shape() == slot.shape);
    }
    const size_t keys = reading.keys->keys.size() + reading.others;
    const double share = static_cast<double>(agree) / (tree.slots.size() + keys);
    if (share > best.share) best = {share, reading.layout->name};
  }
  return best;
}

}  // namespace modelport
