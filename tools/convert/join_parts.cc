#include "tools/convert/join_parts.h"

#include "absl/strings/str_cat.h"

namespace modelport {

Plan JoinParts(const std::vector<MappedPart>& parts) {
  Plan joined;
  for (const MappedPart& mapped : parts) {
    const auto& [part, checkpoint, plan] = mapped;
    absl::StrAppend(&joined.layout, joined.layout.empty() ? "" : ", ", part.file->part, " ", plan.layout);
    joined.sources.insert(joined.sources.end(), plan.sources.begin(), plan.sources.end());
    joined.left_out.insert(joined.left_out.end(), plan.left_out.begin(), plan.left_out.end());
    joined.unused.insert(joined.unused.end(), plan.unused.begin(), plan.unused.end());
    joined.old_names.insert(joined.old_names.end(), plan.old_names.begin(), plan.old_names.end());
    for (const auto& [slot, operation, reason] : plan.changed) {
      joined.changed.push_back({part.SlotName(slot), operation, reason});
    }
    for (const auto& [slot, key] : plan.aliases) {
      joined.aliases.emplace_back(part.SlotName(slot), part.SlotName(key));
    }
  }
  return joined;
}

}  // namespace modelport
