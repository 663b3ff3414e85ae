#include "common/weights/audit.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/weights/nonfinite.h"

namespace modelport {
namespace {

constexpr size_t kNamed = 5;  // How many slots a message names.

// Counts in the source's own dtype; a source is needed only where the bound tensor is not finite.
int64_t CountInSource(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree, size_t slot) {
  const CheckpointTensor& source = *plan.sources[slot].tensor;
  std::string bytes = RowMajorBytes(checkpoint, source);
  return CountNonfinite(at::from_blob(bytes.data(), tree.slots[slot].shape, ToScalarType(source.dtype)));
}

void Describe(std::string* message, absl::string_view heading, const std::vector<std::string>& slots) {
  if (slots.empty()) return;
  absl::StrAppend(message, "\n  ", heading, ":");
  for (size_t i = 0; i < std::min(slots.size(), kNamed); ++i) absl::StrAppend(message, "\n    ", slots[i]);
  if (slots.size() > kNamed) absl::StrAppend(message, "\n    +", slots.size() - kNamed, " more");
}

}  // namespace

absl::Status AuditStorages(const Checkpoint& checkpoint, const Plan& plan) {
  std::set<int> storages;
  for (const SlotSource& source : plan.sources) {
    if (source.tensor != nullptr) storages.insert(source.tensor->storage);
  }
  return VerifyCrc32(checkpoint, std::vector<int>(storages.begin(), storages.end()));
}

absl::Status AuditValues(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree,
                         const BoundTensors& bound, bool allow_nonfinite) {
  std::vector<std::string> stored, overflowed;
  for (size_t i = 0; i < bound.tensors.size(); ++i) {
    const at::Tensor& tensor = bound.tensors[i];
    const int64_t count = CountNonfinite(tensor);
    if (count == 0) continue;
    const std::string line = absl::StrCat(tree.slots[i].name, ": ", count, " of ", tensor.numel(), " values");
    if (CountInSource(checkpoint, plan, tree, i) < count) {
      overflowed.push_back(line);
    } else if (!allow_nonfinite) {
      stored.push_back(line);
    }
  }
  if (stored.empty() && overflowed.empty()) return absl::OkStatus();
  std::string message =
      absl::StrCat(checkpoint.path(), ": ", stored.size() + overflowed.size(), " tensors hold NaN or infinite values");
  Describe(&message, "in the checkpoint; --allow_nonfinite exports them as they are", stored);
  Describe(&message, "overflow in this --dtype; use float32 or bfloat16", overflowed);
  return absl::FailedPreconditionError(message);
}

}  // namespace modelport
