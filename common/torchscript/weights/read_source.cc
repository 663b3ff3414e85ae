#include "common/torchscript/weights/read_source.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include "absl/types/optional.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {

absl::StatusOr<at::Tensor> ReadSource(const SlotSource& source) {
  const at::ScalarType type = ToScalarType(source.dtype());
  const absl::optional<TensorView> view = source.view();
  if (view && view->is_aligned() && *ElementCount(view->shape) > 0) {
    return CatchTorch([&] { return at::from_blob(const_cast<char*>(view->data), view->shape, view->strides, type); });
  }
  ASSIGN_OR_RETURN(at::Tensor tensor, CatchTorch([&] { return at::empty(source.shape(), type); }));
  RETURN_IF_ERROR(source.Evaluate(static_cast<char*>(tensor.mutable_data_ptr())));
  return tensor;
}

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

}  // namespace modelport
