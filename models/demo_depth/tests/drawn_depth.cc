#include "models/demo_depth/tests/drawn_depth.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <cstdint>

#include "docs/pictures/scene.h"
#include "docs/pictures/trace.h"
#include "gtest/gtest.h"

namespace modelport {

std::vector<DrawnScene> DrawScenes(int count, int width, int height) {
  constexpr uint64_t kFirstSeed = 2'000'000;
  std::vector<DrawnScene> drawn;
  for (int i = 0; i < count; ++i) {
    const Scene scene = RandomScene(kFirstSeed + i);
    drawn.push_back({DrawScene(scene, width, height, /*samples=*/2), SceneDepth(scene, width, height)});
  }
  return drawn;
}

const std::vector<DrawnScene>& DrawnScenes() {
  static const auto* const scenes = new std::vector<DrawnScene>(DrawScenes(20, 219, 149));
  return *scenes;
}

at::Tensor HostImage(const Picture& picture) {
  at::Tensor image = at::empty({1, 3, picture.height(), picture.width()});
  float* const values = image.mutable_data_ptr<float>();
  const int64_t pixels = int64_t{picture.height()} * picture.width();
  for (int64_t i = 0; i < pixels; ++i) {
    for (int channel = 0; channel < 3; ++channel) {
      values[channel * pixels + i] = static_cast<float>(picture.rgb()[i * 3 + channel]) / 255;
    }
  }
  return image;
}

void Accuracy::Add(absl::Span<const float> predicted, absl::Span<const float> exact) {
  ASSERT_EQ(predicted.size(), exact.size());
  for (size_t i = 0; i < exact.size(); ++i) {
    if (exact[i] >= kDepthLimit) continue;
    ++pixels_;
    error_ += std::abs(predicted[i] - exact[i]) / exact[i];
    const double ratio = predicted[i] / exact[i];
    within_ += ratio < 1.25 && ratio > 1 / 1.25 ? 1 : 0;
  }
}

void Accuracy::Add(const at::Tensor& predicted, absl::Span<const float> exact) {
  const at::Tensor depth = predicted.to(at::kFloat).contiguous();
  Add({depth.const_data_ptr<float>(), static_cast<size_t>(depth.numel())}, exact);
}

}  // namespace modelport
