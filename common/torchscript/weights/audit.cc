#include "common/torchscript/weights/audit.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/operation/slot_source.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "common/torchscript/weights/count_values.h"
#include "common/torchscript/weights/read_source.h"

namespace modelport {
namespace {

// NaN and infinite values before any conversion. Called only for a bound tensor that has some: it may read all of the
// source.
absl::StatusOr<int64_t> CountInSource(const SlotSource& source) {
  ASSIGN_OR_RETURN(const at::Tensor values, ReadSource(source));
  return CountNonfinite(values.contiguous());
}

std::string Describe(absl::string_view heading, const std::vector<std::string>& slots) {
  return slots.empty() ? "" : absl::StrCat("\n  ", heading, ":", FirstFewLines(slots, "    "));
}

}  // namespace

absl::Status AuditValues(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree,
                         const BoundTensors& bound, bool allow_nonfinite) {
  std::vector<std::string> stored, overflowed;
  for (size_t i = 0; i < bound.tensors.size(); ++i) {
    const at::Tensor& tensor = bound.tensors[i];
    const int64_t count = CountNonfinite(tensor);
    if (count == 0) continue;
    const std::string line = absl::StrCat(tree.slots[i].name, ": ", count, " of ", tensor.numel(), " values");
    ASSIGN_OR_RETURN(const int64_t in_source, CountInSource(plan.sources[i]));
    if (in_source < count) {
      overflowed.push_back(line);
    } else if (!allow_nonfinite) {
      stored.push_back(line);
    }
  }
  if (stored.empty() && overflowed.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(checkpoint.path(), ": ", stored.size() + overflowed.size(), " tensors hold NaN or infinite values",
                   Describe("in the checkpoint; --allow_nonfinite exports them as they are", stored),
                   Describe("overflow in this --dtype; use float32 or bfloat16", overflowed)));
}

}  // namespace modelport
