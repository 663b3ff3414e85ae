#ifndef MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_NONFINITE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_NONFINITE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace modelport {

// The number of NaN and infinite elements of a contiguous floating tensor; 0 for other dtypes.
int64_t CountNonfinite(const at::Tensor& tensor);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_NONFINITE_H_
