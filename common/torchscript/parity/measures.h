#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_MEASURES_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_MEASURES_H_

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// How far a tensor is from the one expected. All but the counts are computed in float64.
struct Measures {
  double max_abs = 0;   // Largest absolute difference of two elements; infinite if some are not finite.
  double mean_abs = 0;  // Mean absolute difference.
  double scale = 0;     // Largest absolute element expected.
  double cosine = 1;    // Of the angle between both, as vectors; 1 if both are zero.
  double snr = 0;   // Signal-to-noise ratio in dB: energy expected over energy of the difference; infinite if equal.
  int64_t nan = 0;  // Elements of the tensor that are NaN.
  int64_t infinite = 0;  // Elements of the tensor that are infinite.

  // max_abs as a part of scale; 0 if both are 0.
  double relative() const;
};

// Compares two tensors of equal shape.
Measures Measure(const at::Tensor& expected, const at::Tensor& actual);

// The largest absolute element; 0 if there is none.
double LargestMagnitude(const at::Tensor& tensor);

// How much an element may differ if rounding differs by `noise` between float64 and the dtype `type` of the reference,
// whose largest absolute element is `scale`: 4 times the noise, but at least 4e-6 and at most 1e-3 of the scale. In
// float16 and bfloat16 the bounds are 1 and 16 of the dtype's epsilon, where these are more. Tensors that are not
// floating must be equal: 0.
double Tolerance(double noise, double scale, at::ScalarType type);

// tensor[slice] as numpy has it, for slices of the form "[a:b, ::c, :]" with numbers from 0 and steps from 1; "" is the
// whole tensor. InvalidArgument for another form, or more dimensions than the tensor has.
absl::StatusOr<at::Tensor> Slice(at::Tensor tensor, absl::string_view slice);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_MEASURES_H_
