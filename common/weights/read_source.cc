#include "common/weights/read_source.h"

#include <ATen/Functions.h>

#include "absl/types/optional.h"
#include "common/tensor/shape.h"
#include "common/tensor/tensor_view.h"
#include "common/weights/scalar_type.h"

namespace modelport {

at::Tensor ReadSource(const SlotSource& source) {
  const at::ScalarType type = ToScalarType(source.dtype());
  const absl::optional<TensorView> view = source.view();
  if (view && view->is_aligned() && *ElementCount(view->shape) > 0) {
    return at::from_blob(const_cast<char*>(view->data), view->shape, view->strides, type);
  }
  at::Tensor tensor = at::empty(source.shape(), type);
  source.Evaluate(static_cast<char*>(tensor.mutable_data_ptr()));
  return tensor;
}

}  // namespace modelport
