#include "common/torchscript/lint/held_tensors.h"

#include "absl/container/flat_hash_set.h"

namespace modelport {

std::vector<at::Tensor> HeldTensors(const c10::IValue& value) {
  std::vector<at::Tensor> tensors;
  absl::flat_hash_set<const void*> seen;
  // If the visitor returns true, the visit skips the contents of the value.
  value.visit([&](const c10::IValue& held) {
    if (!held.isPtrType()) return false;
    if (!seen.insert(held.internalToPointer()).second) return true;
    if (held.isTensor() && held.toTensor().defined()) tensors.push_back(held.toTensor());
    return false;
  });
  return tensors;
}

}  // namespace modelport
