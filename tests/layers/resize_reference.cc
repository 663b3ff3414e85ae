#include "tests/layers/resize_reference.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace modelport {
namespace {

double Triangle(double d) { return std::max(0.0, 1 - std::abs(d)); }

// Keys' cubic convolution.
double Cubic(double d, double a) {
  d = std::abs(d);
  if (d < 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0;
}

using Filter = std::function<double(double)>;

// Weights [outputs, inputs] of a filter of the image that continues at its border for `reach` pixels.
at::Tensor Interpolation(int64_t outputs, int64_t inputs, const Filter& filter) {
  at::Tensor weights = at::zeros({outputs, inputs}, at::kDouble);
  auto w = weights.accessor<double, 2>();
  const double scale = static_cast<double>(inputs) / outputs;
  const int64_t reach = std::ceil(scale) + 3;
  for (int64_t o = 0; o < outputs; ++o) {
    const double place = (o + 0.5) * scale - 0.5;
    for (int64_t i = -reach; i < inputs + reach; ++i) {
      w[o][std::clamp<int64_t>(i, 0, inputs - 1)] += filter(place - i);
    }
  }
  return weights;
}

// Weights of a filter that is as wide as an output where that is larger than an input.
at::Tensor Antialiased(int64_t outputs, int64_t inputs, const Filter& filter) {
  at::Tensor weights = at::zeros({outputs, inputs}, at::kDouble);
  auto w = weights.accessor<double, 2>();
  const double scale = static_cast<double>(inputs) / outputs;
  for (int64_t o = 0; o < outputs; ++o) {
    for (int64_t i = 0; i < inputs; ++i) w[o][i] = filter(((i + 0.5) - (o + 0.5) * scale) / std::max(scale, 1.0));
  }
  return weights / weights.sum(1, true);
}

at::Tensor Area(int64_t outputs, int64_t inputs) {
  at::Tensor weights = at::zeros({outputs, inputs}, at::kDouble);
  auto w = weights.accessor<double, 2>();
  // In units of 1 / outputs of an input, so that all is exact.
  for (int64_t o = 0; o < outputs; ++o) {
    for (int64_t i = 0; i < inputs; ++i) {
      const int64_t covered = std::min((i + 1) * outputs, (o + 1) * inputs) - std::max(i * outputs, o * inputs);
      w[o][i] = static_cast<double>(std::max<int64_t>(covered, 0)) / inputs;
    }
  }
  return weights;
}

// OpenCV's interpolateCubic.
at::Tensor OpenCvCubic(int64_t outputs, int64_t inputs) {
  at::Tensor weights = at::zeros({outputs, inputs}, at::kDouble);
  auto w = weights.accessor<double, 2>();
  constexpr float kA = -0.75f;
  for (int64_t o = 0; o < outputs; ++o) {
    const float place = (o + 0.5) * (static_cast<double>(inputs) / outputs) - 0.5;
    const float first = std::floor(place), x = place - first;
    float c[4];
    c[0] = ((kA * (x + 1) - 5 * kA) * (x + 1) + 8 * kA) * (x + 1) - 4 * kA;
    c[1] = ((kA + 2) * x - (kA + 3)) * x * x + 1;
    c[2] = ((kA + 2) * (1 - x) - (kA + 3)) * (1 - x) * (1 - x) + 1;
    c[3] = 1.f - c[0] - c[1] - c[2];
    for (int64_t k = 0; k < 4; ++k) {
      w[o][std::clamp<int64_t>(static_cast<int64_t>(first) + k - 1, 0, inputs - 1)] += c[k];
    }
  }
  return weights;
}

}  // namespace

at::Tensor ResizeWeights(int64_t outputs, int64_t inputs, const std::string& filter) {
  if (filter == "bilinear") return Interpolation(outputs, inputs, Triangle);
  if (filter == "bicubic") return Interpolation(outputs, inputs, [](double d) { return Cubic(d, -0.75); });
  if (filter == "antialiased bilinear") return Antialiased(outputs, inputs, Triangle);
  if (filter == "antialiased bicubic") return Antialiased(outputs, inputs, [](double d) { return Cubic(d, -0.5); });
  return filter == "area" ? Area(outputs, inputs) : OpenCvCubic(outputs, inputs);
}

at::Tensor ResizeByDefinition(const at::Tensor& image, int64_t height, int64_t width, const std::string& filter) {
  const at::Tensor rows = ResizeWeights(height, image.size(-2), filter);
  const at::Tensor columns = ResizeWeights(width, image.size(-1), filter);
  return at::matmul(at::matmul(rows, image.to(at::kDouble)), columns.t());
}

}  // namespace modelport
