#ifndef MODELPORT_COMMON_TENSOR_TENSOR_VIEW_H_
#define MODELPORT_COMMON_TENSOR_TENSOR_VIEW_H_

#include <cstdint>
#include <vector>

#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {

// The elements of a tensor in memory, borrowed.
struct TensorView {
  DType dtype;
  Shape shape;
  std::vector<int64_t> strides;  // In elements; any that are not negative.
  const char* data = nullptr;    // The first element, which need not be aligned.

  // True if `data` is aligned for elements of `dtype`.
  bool is_aligned() const;
};

// Writes the elements to `out` in row-major order.
void CopyRowMajor(const TensorView& view, char* out);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TENSOR_TENSOR_VIEW_H_
