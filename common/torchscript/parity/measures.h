#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_MEASURES_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_MEASURES_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

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

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_MEASURES_H_
