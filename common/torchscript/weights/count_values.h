#ifndef MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_COUNT_VALUES_H_
#define MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_COUNT_VALUES_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace modelport {

// The number of NaN and infinite elements of a contiguous floating tensor; 0 for other dtypes.
int64_t CountNonfinite(const at::Tensor& tensor);

// Elements that a conversion made zero, or so small that they lost bits.
struct Underflow {
  int64_t zeros = 0;       // Were not zero, and are: 1e-60 in float32.
  int64_t subnormals = 0;  // Were normal numbers, and are subnormal: 1e-40 in float32.
};

// Compares `tensor`, of any strides, with `converted`: the same elements, contiguous, in another floating dtype. Copies
// nothing.
Underflow CountUnderflow(const at::Tensor& tensor, const at::Tensor& converted);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_COUNT_VALUES_H_
