#include "common/weights/bind_tensors.h"

#include <ATen/Functions.h>

#include <cstdint>
#include <utility>

#include "common/script/torch_status.h"
#include "common/status/annotate.h"

namespace modelport {
namespace {

// Mapped safetensors data lies where the header ends, which need not be a multiple of the element size.
bool IsAligned(const void* data, DType dtype) { return reinterpret_cast<uintptr_t>(data) % ByteSize(dtype) == 0; }

at::Tensor Bind(const Checkpoint& checkpoint, const CheckpointTensor& tensor, DType dtype) {
  const at::ScalarType type = ToScalarType(tensor.dtype);
  if (*ElementCount(tensor.shape) == 0) return at::empty(tensor.shape, ToScalarType(dtype));
  const absl::string_view bytes = checkpoint.storages()[tensor.storage].bytes;
  const char* data = bytes.data() + tensor.offset * ByteSize(tensor.dtype);
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
  BoundTensors bound;
  for (size_t i = 0; i < tree.slots.size(); ++i) {
    const Slot& slot = tree.slots[i];
    const CheckpointTensor* tensor = plan.sources[i].tensor;
    const absl::Status status = CatchTorch([&] {
      bound.tensors.push_back(tensor ? Bind(checkpoint, *tensor, dtype) : at::zeros(slot.shape, ToScalarType(dtype)));
    });
    if (!status.ok()) return Annotate(Annotate(status, slot.name), checkpoint.path());
    if (tensor == nullptr) bound.zero_filled.push_back(slot.name);
    if (tensor != nullptr && tensor->dtype != dtype) bound.converted[tensor->dtype].push_back(slot.name);
  }
  return bound;
}

}  // namespace modelport
