#include "tools/predict/pictures/vector_picture.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/status/status.h"
#include "common/status/status_macros.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

constexpr int64_t kComponents = 3;

at::Tensor Components(const at::Tensor& features) {
  const int64_t channels = features.size(0), height = features.size(1), width = features.size(2);
  const at::Tensor patches = features.reshape({channels, -1}).to(at::kDouble);
  const at::Tensor centred = patches - patches.mean(1, /*keepdim=*/true);
  // Eigenvalues come in ascending order.
  const auto [variances, directions] = at::linalg_eigh(at::matmul(centred, centred.t()));
  at::Tensor components = at::zeros({kComponents, height, width}, at::kDouble);
  const double largest = variances[channels - 1].item<double>();
  for (int64_t i = 0; i < std::min(kComponents, channels); ++i) {
    // Rounding alone gives a direction to a variance of 0.
    if (variances[channels - 1 - i].item<double>() <= 1e-12 * largest) break;
    const at::Tensor direction = directions.select(1, channels - 1 - i);
    const at::Tensor sign = direction[direction.abs().argmax().item<int64_t>()].sign();
    components[i] = at::matmul(direction * sign, centred).reshape({height, width});
  }
  return components.to(at::kFloat);
}

// Each component from 0 to 1; a constant one is 0.5.
at::Tensor Normalised(const at::Tensor& components) {
  const at::Tensor min = components.amin({1, 2}, /*keepdim=*/true), max = components.amax({1, 2}, /*keepdim=*/true);
  return at::where(max > min, (components - min) / (max - min), at::full({}, 0.5f)).contiguous();
}

// -1 to 1 as 0 to 255; what is no number as 0 is.
uint8_t Byte(float part) {
  const float value = std::isnan(part) ? 0.0f : std::clamp(part, -1.0f, 1.0f);
  return static_cast<uint8_t>(std::lround((value + 1) / 2 * 255));
}

}  // namespace

absl::StatusOr<at::Tensor> PrincipalComponents(const at::Tensor& features) {
  ASSIGN_OR_RETURN(const bool finite, CatchTorch([&] { return at::isfinite(features).all().item<bool>(); }));
  if (!finite) return absl::FailedPreconditionError("the model's features are not finite");
  return CatchTorch([&] { return Components(features); });
}

absl::StatusOr<Picture> DrawFeatures(const at::Tensor& features, int width, int height) {
  ASSIGN_OR_RETURN(const at::Tensor components, PrincipalComponents(features));
  ASSIGN_OR_RETURN(const at::Tensor colours, CatchTorch([&] { return Normalised(components); }));
  const int64_t rows = colours.size(1), columns = colours.size(2);
  const auto values = colours.accessor<float, 3>();
  Picture picture(width, height, {0, 0, 0});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      Rgb colour;
      for (int c = 0; c < 3; ++c) {
        const float value = values[c][y * rows / height][x * columns / width];
        colour[c] = static_cast<uint8_t>(std::lround(value * 255));
      }
      picture.Set(x, y, colour);
    }
  }
  return picture;
}

Picture DrawNormals(const at::Tensor& normals) {
  const auto values = normals.accessor<float, 3>();
  const int height = static_cast<int>(normals.size(1)), width = static_cast<int>(normals.size(2));
  Picture picture(width, height, {0, 0, 0});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      picture.Set(x, y, {Byte(values[0][y][x]), Byte(-values[1][y][x]), Byte(-values[2][y][x])});
    }
  }
  return picture;
}

}  // namespace modelport
