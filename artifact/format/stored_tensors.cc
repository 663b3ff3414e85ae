#include "artifact/format/stored_tensors.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/alignment.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"

namespace modelport {

absl::StatusOr<BoundTensors> BorrowTensors(const StoredArtifact& file, const std::vector<Slot>& slots, DType dtype) {
  ASSIGN_OR_RETURN(const auto parts, file.FindTensors(slots, dtype));
  BoundTensors bound;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!parts[i]) {
      return absl::FailedPreconditionError(
          absl::StrCat(file.path(), ": holds only the tensors that its code uses, and not ", slots[i].name));
    }
    // Nothing writes to the tensor.
    const at::Tensor tensor =
        at::from_blob(const_cast<char*>(parts[i]->bytes.data()), slots[i].shape, StridesIn(*parts[i], slots[i].shape),
                      ToScalarType(slots[i].dtype.value_or(dtype)));
    const bool is_aligned = reinterpret_cast<uintptr_t>(parts[i]->bytes.data()) % c10::gAlignment == 0;
    bound.tensors.push_back(is_aligned && !parts[i]->is_transposed ? tensor
                                                                   : tensor.clone(at::MemoryFormat::Contiguous));
  }
  return bound;
}

absl::StatusOr<int64_t> CompareTensors(const StoredArtifact& file, const std::vector<Slot>& slots, DType dtype,
                                       const std::vector<BoundTensors>& bound) {
  const std::vector<at::Tensor> tensors = TensorsOf(bound);
  ASSIGN_OR_RETURN(const auto parts, file.FindTensors(slots, dtype));
  int64_t compared = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!parts[i]) continue;
    const at::Tensor tensor = parts[i]->is_transposed ? tensors[i].t().contiguous() : tensors[i];
    const absl::string_view bytes(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
    if (parts[i]->bytes != bytes) {
      return absl::DataLossError(absl::StrCat(file.path(), ": ", parts[i]->name, " (", slots[i].name,
                                              "): is not the tensor of the checkpoint"));
    }
    ++compared;
  }
  return compared;
}

absl::StatusOr<int64_t> CountTensors(const StoredArtifact& file, const std::vector<Slot>& slots, DType dtype) {
  ASSIGN_OR_RETURN(const auto parts, file.FindTensors(slots, dtype));
  return std::count_if(parts.begin(), parts.end(), [](const auto& part) { return part.has_value(); });
}

absl::Status CheckHoldsTensors(const StoredArtifact& file, const std::vector<Slot>& slots, DType dtype) {
  ASSIGN_OR_RETURN(const auto parts, file.FindTensors(slots, dtype));
  double wanted = 0, held = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    wanted += *ElementCount(slots[i].shape) * ByteSize(slots[i].dtype.value_or(dtype));
    if (parts[i]) held += static_cast<double>(parts[i]->bytes.size());
  }
  if (held * 10 >= wanted) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(file.path(), ": holds ", held, " bytes of the model's tensors, which have ",
                                          wanted, ": no artifact of this model"));
}

}  // namespace modelport
