// Larger images in artifacts for Nuke.
#include <ATen/ops/clamp.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <ATen/ops/reflection_pad2d.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

class NukeUpscaleTest : public testing::TestWithParam<std::string> {
 protected:
  // The model's own image, of images [B, 3, H, W] whose sides are multiples of `multiple_of`. To a model of gray images
  // each of their channels is an image.
  at::Tensor Larger(const at::Tensor& images) const {
    const int64_t channels = model_.nuke.attr("channels").toInt();
    const at::Tensor given = images.reshape({-1, channels, images.size(2), images.size(3)});
    const at::Tensor larger = at::clamp(model_.plain.get_method("forward")({given}).toTensor(), 0, 1);
    return larger.reshape({-1, 3, larger.size(2), larger.size(3)});
  }

  int64_t scale() const { return model_.nuke.attr("scale").toInt(); }

  NukeModel model_ = GetNukeModel(GetParam());
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NukeUpscaleTest);
INSTANTIATE_TEST_SUITE_P(Models, NukeUpscaleTest, testing::ValuesIn(NukeTestModels("NukeUpscale")));

TEST_P(NukeUpscaleTest, IsTheModelsOwnAtAnySize) {
  const at::Tensor images = SeededImage(2, 3, 20, 28);
  EXPECT_LE(RelativeDifference(Larger(images), model_.Run(images)), 1e-6);
  const at::Tensor odd = SeededImage(1, 4, 19, 25);
  const int64_t multiple = model_.multiple_of(), bottom = (multiple - 19 % multiple) % multiple,
                right = (multiple - 25 % multiple) % multiple;
  const at::Tensor padded = at::reflection_pad2d(odd.slice(1, 0, 3), {0, right, 0, bottom});
  const at::Tensor larger = model_.Run(odd);
  EXPECT_EQ(larger.sizes(), at::IntArrayRef({1, 3, scale() * 19, scale() * 25}));
  const at::Tensor expected = Larger(padded).slice(2, 0, scale() * 19).slice(3, 0, scale() * 25);
  EXPECT_LE(RelativeDifference(expected, larger), 1e-6);
  EXPECT_EQ(model_.Run(SeededImage(1, 3, 1, 2)).size(3), scale() * 2);
}

// Pieces around which the model sees everything are those of the whole image.
TEST_P(NukeUpscaleTest, PiecesGiveTheSame) {
  const at::Tensor image = SeededImage(1, 3, 31, 45), whole = model_.Run(image);
  const auto expect_same = [&](const at::Tensor& of, int64_t side) {
    EXPECT_LE(RelativeDifference(model_.Run(of), model_.Run(of, {{"tile_size", side}, {"tile_pad", 64}})), 1e-6)
        << side;
  };
  for (const int64_t side : {13, 20, 400}) expect_same(image, side);
  // So many pieces that the image is a small one.
  expect_same(SeededImage(1, 3, 7, 10), 1);
  EXPECT_GT(RelativeDifference(whole, model_.Run(image, {{"tile_size", 16}, {"tile_pad", 0}})), 1e-4);
}

TEST_P(NukeUpscaleTest, WhatIsNoColourBecomesOne) {
  at::Tensor image = SeededImage(1, 3, 20, 20);
  image.slice(1, 2, 3).fill_(std::numeric_limits<float>::quiet_NaN());
  image.slice(1, 0, 1).fill_(40);
  const at::Tensor larger = model_.Run(image);
  EXPECT_TRUE(at::isfinite(larger).all().item<bool>());
  image.slice(1, 2, 3).fill_(0);
  image.slice(1, 0, 1).fill_(1);
  EXPECT_TRUE(at::equal(model_.Run(image), larger));
  EXPECT_THROW(model_.Run(SeededImage(1, 1, 20, 20)), std::exception);
}

}  // namespace
}  // namespace modelport
