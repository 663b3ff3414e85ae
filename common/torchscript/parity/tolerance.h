#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_TOLERANCE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_TOLERANCE_H_

#include <c10/core/ScalarType.h>

namespace modelport {

// How much an element may differ if rounding differs by `noise` between float64 and the dtype `type` of the reference,
// whose largest absolute element is `scale`: 4 times the noise, but at least 4e-6 and at most 1e-3 of the scale. In
// float16 and bfloat16 the bounds are 1 and 16 of the dtype's epsilon, where these are more. Tensors that are not
// floating must be equal: 0.
double Tolerance(double noise, double scale, at::ScalarType type);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_TOLERANCE_H_
