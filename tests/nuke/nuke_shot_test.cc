// Depth of a frame among those around it in artifacts for Nuke.
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

constexpr int64_t kMiddle = 2, kFrames = 5;

class NukeShotTest : public testing::Test {
 protected:
  // A shot [B, 5, 3, H, W] as the node takes it: its middle frame first.
  static at::Tensor Packed(const at::Tensor& shot) {
    std::vector<at::Tensor> frames = {shot.select(1, kMiddle)};
    for (int64_t i = 0; i < kFrames; ++i) {
      if (i != kMiddle) frames.push_back(shot.select(1, i));
    }
    return at::cat(frames, 1);
  }

  static at::Tensor Shot(int64_t batch, int64_t height, int64_t width) {
    return SeededImage(batch, 3 * kFrames, height, width).reshape({batch, kFrames, 3, height, width});
  }

  NukeModel model_ = GetNukeModel(NukeTestModels("NukeShot").front());
};

TEST_F(NukeShotTest, IsTheModelsOwnDepthOfTheMiddleFrame) {
  const at::Tensor shot = Shot(2, 42, 56);
  const at::Tensor image = model_.Normalised(shot.flatten(0, 1)).reshape(shot.sizes());
  const at::Tensor depth = model_.plain.get_method("forward")({image}).toTensor();
  const at::Tensor found = model_.Run(Packed(shot));
  EXPECT_EQ(found.sizes(), at::IntArrayRef({2, 1, 42, 56}));
  EXPECT_LE(RelativeDifference(depth.select(1, kMiddle).unsqueeze(1), found), 1e-6);
}

TEST_F(NukeShotTest, EachFrameCountsInItsPlace) {
  const at::Tensor shot = Shot(1, 28, 42);
  const at::Tensor depth = model_.Run(Packed(shot));
  for (int64_t i = 0; i < kFrames; ++i) {
    at::Tensor other = shot.clone();
    other.select(1, i).fill_(0.25);
    EXPECT_GT(RelativeDifference(depth, model_.Run(Packed(other))), 1e-5) << i;
  }
  EXPECT_GT(RelativeDifference(depth, model_.Run(Packed(shot.flip({1})))), 1e-5);
}

TEST(NukeMetricShotTest, UnitAndScaleOfMetresAreKnobs) {
  int models = 0;
  for (const std::string& name : NukeTestModels("NukeShot")) {
    NukeModel model = GetNukeModel(name);
    if (!model.nuke.hasattr("unit")) continue;
    ++models;
    const at::Tensor shot = SeededImage(1, 3 * kFrames, 28, 42), metres = model.Run(shot);
    constexpr double kRounding = 4 * 0x1p-24;  // Of a product, as a part of itself.
    EXPECT_LE(PartOfLargest(metres * 250, model.Run(shot, {{"unit", 1}, {"scale", 2.5}})), kRounding);
    EXPECT_LE(PartOfLargest(metres / 0.3048, model.Run(shot, {{"unit", 3}, {"scale", 1.0}})), kRounding);
  }
  EXPECT_GT(models, 0);
}

TEST_F(NukeShotTest, TakesAnySizeAndWhatIsNoColour) {
  at::Tensor shot = Shot(1, 31, 45);
  shot.select(1, 4).fill_(std::numeric_limits<float>::quiet_NaN());
  const at::Tensor depth = model_.Run(Packed(shot), {{"max_size", 30}});
  EXPECT_EQ(depth.sizes(), at::IntArrayRef({1, 1, 31, 45}));
  EXPECT_TRUE(at::isfinite(depth).all().item<bool>());
  EXPECT_TRUE(at::equal(depth, model_.Run(at::cat({Packed(shot), shot.select(1, 0)}, 1), {{"max_size", 30}})));
}

}  // namespace
}  // namespace modelport
