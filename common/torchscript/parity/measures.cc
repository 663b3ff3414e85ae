#include "common/torchscript/parity/measures.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <cmath>
#include <limits>

namespace modelport {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double SumOfSquares(const at::Tensor& tensor) { return tensor.square().sum().item<double>(); }

}  // namespace

double Measures::relative() const {
  if (max_abs == 0) return 0;
  return scale == 0 ? kInfinity : max_abs / scale;
}

double LargestMagnitude(const at::Tensor& tensor) {
  return tensor.numel() == 0 ? 0 : tensor.to(at::kDouble).abs().max().item<double>();
}

Measures Measure(const at::Tensor& expected, const at::Tensor& actual) {
  Measures measures;
  measures.nan = actual.isnan().sum().item<int64_t>();
  measures.infinite = actual.isinf().sum().item<int64_t>();
  measures.snr = kInfinity;
  if (expected.numel() == 0) return measures;
  const at::Tensor e = expected.to(at::kDouble), a = actual.to(at::kDouble);
  const at::Tensor difference = (e - a).abs();
  measures.scale = e.abs().max().item<double>();
  const double largest = difference.max().item<double>();
  measures.max_abs = std::isfinite(largest) ? largest : kInfinity;
  if (expected.scalar_type() == at::kLong && measures.max_abs == 0) {
    // Large integers may be equal only in float64.
    measures.max_abs = expected.ne(actual.to(at::kLong)).any().item<bool>() ? 1 : 0;
  }
  measures.mean_abs = difference.mean().item<double>();
  const double energy = SumOfSquares(e), noise = SumOfSquares(difference), own = SumOfSquares(a);
  if (noise > 0 || std::isnan(noise)) measures.snr = 10 * std::log10(energy / noise);
  if (energy > 0 || own > 0) measures.cosine = (e * a).sum().item<double>() / std::sqrt(energy * own);
  return measures;
}

}  // namespace modelport
