#include "common/torchscript/parity/measures.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/text/printable.h"
#include "common/torchscript/proof/compare_values.h"

namespace modelport {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double SumOfSquares(const at::Tensor& tensor) { return tensor.square().sum().item<double>(); }

// Reads a bound of at least `smallest`; `value` stays as it is if the bound is left out.
bool ReadBound(absl::string_view text, int64_t smallest, int64_t& value) {
  return text.empty() || (absl::SimpleAtoi(text, &value) && value >= smallest);
}

// Slices one dimension.
bool SliceDimension(absl::string_view text, int64_t dim, at::Tensor& tensor) {
  std::vector<absl::string_view> bounds = absl::StrSplit(text, ':');
  if (bounds.size() < 2 || bounds.size() > 3 || dim >= tensor.dim()) return false;
  bounds.resize(3);
  int64_t begin = 0, end = tensor.size(dim), step = 1;
  if (!ReadBound(bounds[0], 0, begin) || !ReadBound(bounds[1], 0, end) || !ReadBound(bounds[2], 1, step)) return false;
  tensor = tensor.slice(dim, begin, end, step);
  return true;
}

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

double Tolerance(double noise, double scale, at::ScalarType type) {
  if (!at::isFloatingType(type)) return 0;
  const double epsilon = Epsilon(type);
  return std::clamp(4 * noise, std::max(4e-6, epsilon) * scale, std::max(1e-3, 16 * epsilon) * scale);
}

absl::StatusOr<at::Tensor> Slice(at::Tensor tensor, absl::string_view slice) {
  if (slice.empty()) return tensor;
  absl::string_view inner = slice;
  bool fits = absl::ConsumePrefix(&inner, "[") && absl::ConsumeSuffix(&inner, "]");
  int64_t dim = 0;
  for (absl::string_view part : absl::StrSplit(inner, ", ")) fits = fits && SliceDimension(part, dim++, tensor);
  if (fits) return tensor;
  return absl::InvalidArgumentError(absl::StrCat("the slice ", Brief(slice), " does not fit a tensor of ", tensor.dim(),
                                                 " dimensions; wants a form such as [0:1, ::2]"));
}

}  // namespace modelport
