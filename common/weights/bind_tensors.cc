#include "common/weights/bind_tensors.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/script/torch_status.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/text/units.h"

namespace modelport {
namespace {

// Mapped safetensors data lies where the header ends, which need not be a multiple of the element size.
bool IsAligned(const void* data, DType dtype) { return reinterpret_cast<uintptr_t>(data) % ByteSize(dtype) == 0; }

const char* FirstElement(const Checkpoint& checkpoint, const CheckpointTensor& tensor) {
  return checkpoint.storages()[tensor.storage].bytes.data() + tensor.offset * ByteSize(tensor.dtype);
}

// Whether a tensor can be used from where it lies in the file.
bool CanBorrow(const Checkpoint& checkpoint, const CheckpointTensor& tensor, DType dtype) {
  return tensor.dtype == dtype && tensor.strides == RowMajorStrides(tensor.shape) &&
         IsAligned(FirstElement(checkpoint, tensor), dtype);
}

// A small file can describe tensors that repeat its bytes: by strides of 0, or all from one storage.
absl::Status CheckCopies(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree, DType dtype) {
  constexpr double kAllowance = 64e6;
  double bytes = 0;
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    const CheckpointTensor* tensor = plan.sources[i].tensor;
    const DType wanted = tree.slots[i].dtype.value_or(dtype);
    if (tensor == nullptr || CanBorrow(checkpoint, *tensor, wanted)) continue;
    bytes += static_cast<double>(*ElementCount(tensor->shape)) * ByteSize(wanted);
  }
  const double file = checkpoint.bytes().size();
  if (bytes <= 2 * file + kAllowance) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(checkpoint.path(), ": its tensors repeat their elements: the file has ", FormatBytes(file),
                   ", copies of them would take ", FormatBytes(bytes),
                   "\n  save it as {key: tensor.contiguous()} or as safetensors"));
}

at::Tensor Bind(const Checkpoint& checkpoint, const CheckpointTensor& tensor, DType dtype) {
  const at::ScalarType type = ToScalarType(tensor.dtype);
  if (*ElementCount(tensor.shape) == 0) return at::empty(tensor.shape, ToScalarType(dtype));
  const char* data = FirstElement(checkpoint, tensor);
  std::string aligned;
  at::Tensor view;
  if (IsAligned(data, tensor.dtype)) {
    // Nothing writes through it: the module is only run and saved.
    view = at::from_blob(const_cast<char*>(data), tensor.shape, tensor.strides, type);
  } else {
    aligned = RowMajorBytes(checkpoint, tensor);
    view = at::from_blob(aligned.data(), tensor.shape, type).clone();
  }
  return view.to(ToScalarType(dtype)).contiguous();
}

void NoteConversion(const Checkpoint& checkpoint, const CheckpointTensor& tensor, const std::string& slot,
                    const at::Tensor& bound, Converted* converted) {
  converted->slots.push_back(slot);
  const Underflow underflow = CountUnderflow(tensor, FirstElement(checkpoint, tensor), bound);
  converted->underflow.zeros += underflow.zeros;
  converted->underflow.subnormals += underflow.subnormals;
}

}  // namespace

at::ScalarType ToScalarType(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return at::kDouble;
    case DType::kFloat32:
      return at::kFloat;
    case DType::kFloat16:
      return at::kHalf;
    case DType::kBFloat16:
      return at::kBFloat16;
    case DType::kInt64:
      return at::kLong;
    case DType::kInt32:
      return at::kInt;
    case DType::kInt16:
      return at::kShort;
    case DType::kInt8:
      return at::kChar;
    case DType::kUInt8:
      return at::kByte;
    case DType::kBool:
      return at::kBool;
  }
  return at::ScalarType::Undefined;
}

absl::StatusOr<BoundTensors> BindTensors(const Checkpoint& checkpoint, const Plan& plan, const ModuleTree& tree,
                                         DType dtype) {
  RETURN_IF_ERROR(CheckCopies(checkpoint, plan, tree, dtype));
  BoundTensors bound;
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    const Slot& slot = tree.slots[i];
    const CheckpointTensor* tensor = plan.sources[i].tensor;
    const DType wanted = slot.dtype.value_or(dtype);
    const absl::Status status = CatchTorch([&] {
      bound.tensors.push_back(tensor ? Bind(checkpoint, *tensor, wanted) : at::zeros(slot.shape, ToScalarType(wanted)));
    });
    if (!status.ok()) return Annotate(Annotate(status, slot.name), checkpoint.path());
    if (tensor == nullptr) bound.zero_filled.push_back(slot.name);
    if (tensor != nullptr && tensor->dtype != wanted) {
      NoteConversion(checkpoint, *tensor, slot.name, bound.tensors.back(), &bound.converted[tensor->dtype]);
    }
  }
  return bound;
}

}  // namespace modelport
