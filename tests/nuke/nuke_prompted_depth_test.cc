// Depth from an image and its coarse depth in artifacts for Nuke.
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

class NukePromptedDepthTest : public testing::Test {
 protected:
  // An image and its coarse depth from 2 to 6 metres, as the node takes them, [B, 4, H, W].
  static at::Tensor Prompted(int64_t batch, int64_t height, int64_t width) {
    at::Tensor image = SeededImage(batch, 4, height, width);
    image.slice(1, 3, 4).mul_(4).add_(2);
    return image;
  }

  // The model's own depth of what a node takes, whose sides are multiples of the patch.
  at::Tensor Depth(const at::Tensor& image) const {
    return model_.plain.get_method("forward")({model_.Normalised(image.slice(1, 0, 3)), image.slice(1, 3, 4)})
        .toTensor();
  }

  NukeModel model_ = GetNukeModel(NukeTestModels("NukePromptedDepth").front());
};

TEST_F(NukePromptedDepthTest, IsTheModelsOwn) {
  const at::Tensor image = Prompted(2, 42, 56);
  const at::Tensor depth = model_.Run(image);
  ASSERT_EQ(depth.sizes(), at::IntArrayRef({2, 1, 42, 56}));
  EXPECT_LE(RelativeDifference(Depth(image), depth), 1e-6);
}

TEST_F(NukePromptedDepthTest, TheCoarseDepthSetsTheScale) {
  const at::Tensor image = Prompted(1, 28, 42);
  at::Tensor farther = image.clone();
  farther.slice(1, 3, 4).mul_(4);
  EXPECT_LE(RelativeDifference(model_.Run(image) * 4, model_.Run(farther)), 1e-5);
  // Of millimetres as of metres.
  farther.slice(1, 3, 4).mul_(1 << 18);
  EXPECT_LE(RelativeDifference(model_.Run(image) * (1 << 20), model_.Run(farther)), 1e-5);
}

TEST_F(NukePromptedDepthTest, UnitScaleAndDirectionAreKnobs) {
  const at::Tensor image = Prompted(1, 28, 42);
  const at::Tensor metres = model_.Run(image);
  // Knobs keep what they were set to.
  EXPECT_LE(RelativeDifference(metres * 250, model_.Run(image, {{"unit", 1}, {"scale", 2.5}})), 1e-6);
  EXPECT_LE(RelativeDifference(metres / 0.3048, model_.Run(image, {{"unit", 3}, {"scale", 1.0}})), 1e-5);
  EXPECT_LE(RelativeDifference(metres.reciprocal(), model_.Run(image, {{"unit", 0}, {"convention", 1}})), 1e-5);
  EXPECT_TRUE(at::equal(metres, model_.Run(image, {{"convention", 2}})));
  const at::Tensor stretched = model_.Run(image, {{"normalize", 1}});
  EXPECT_NEAR(stretched.min().item<float>(), 0, 1e-6);
  EXPECT_NEAR(stretched.max().item<float>(), 1, 1e-6);
}

TEST_F(NukePromptedDepthTest, TakesAnySizeAndWhatIsNoNumber) {
  at::Tensor image = Prompted(1, 31, 45);
  image.select(1, 3).slice(0, 0, 1).slice(1, 3, 5).fill_(std::numeric_limits<float>::quiet_NaN());
  image.select(1, 3).slice(1, 7, 9).fill_(std::numeric_limits<float>::infinity());
  image.select(1, 3).slice(1, 9, 11).fill_(-std::numeric_limits<float>::infinity());
  at::Tensor holes = image.clone();
  holes.select(1, 3).slice(0, 0, 1).slice(1, 3, 5).zero_();
  holes.select(1, 3).slice(1, 7, 11).zero_();
  const at::Tensor depth = model_.Run(image, {{"max_size", 30}});
  EXPECT_EQ(depth.sizes(), at::IntArrayRef({1, 1, 31, 45}));
  EXPECT_TRUE(at::isfinite(depth).all().item<bool>());
  EXPECT_TRUE(at::equal(depth, model_.Run(holes)));
  EXPECT_TRUE(at::equal(depth, model_.Run(at::cat({holes, SeededImage(1, 1, 31, 45)}, 1))));
  EXPECT_THROW(model_.Run(image.slice(1, 0, 3).contiguous()), std::exception);
}

}  // namespace
}  // namespace modelport
