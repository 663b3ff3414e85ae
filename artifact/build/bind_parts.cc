#include "artifact/build/bind_parts.h"

#include <utility>

#include "common/status/status_macros.h"

namespace modelport {

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

}  // namespace modelport
