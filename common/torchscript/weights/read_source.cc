#include "common/torchscript/weights/read_source.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include "absl/types/optional.h"
#include "common/status/status_macros.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"
#include "common/torchscript/script/torch_status.h"
#include "common/torchscript/weights/scalar_type.h"

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

}  // namespace modelport
