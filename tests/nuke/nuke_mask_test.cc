// A matte of an image alone in artifacts for Nuke, whose images are stretched to the size that the model wants.
#include <ATen/ops/_upsample_bilinear2d_aa.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <cstdint>

#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

constexpr double kMaskRounding = 1e-6;

at::Tensor Resized(const at::Tensor& x, int64_t height, int64_t width) {
  return at::_upsample_bilinear2d_aa(x, {height, width}, /*align_corners=*/false);
}

class NukeMaskTest : public testing::Test {
 protected:
  // The model's own matte of the image, stretched to `height` x `width` and back.
  at::Tensor Matte(const at::Tensor& image, int64_t height, int64_t width) const {
    const at::Tensor stretched = Resized(model_.Normalised(image.slice(1, 0, 3)), height, width);
    return Resized(model_.plain.get_method("forward")({stretched}).toTensor(), image.size(2), image.size(3));
  }

  NukeModel model_ = GetNukeModel(NukeTestModels("NukeMask").front());
};

TEST_F(NukeMaskTest, StretchesToTheModelsSize) {
  const int64_t side = model_.nuke.attr("side").toInt();
  for (const at::Tensor& image :
       {SeededImage(1, 3, 64, 64), SeededImage(2, 4, 31, 45), SeededImage(1, 3, 5, 9), SeededImage(1, 3, 90, 131)}) {
    const at::Tensor matte = model_.Run(image);
    EXPECT_EQ(matte.size(1), 1);
    EXPECT_LE(RelativeDifference(Matte(image, side, side), matte), kMaskRounding) << image.sizes();
  }
}

TEST_F(NukeMaskTest, TheSideIsRoundedDownToAMultiple) {
  const at::Tensor image = SeededImage(1, 3, 70, 100);
  EXPECT_LE(RelativeDifference(Matte(image, 96, 96), model_.Run(image, {{"side", 127}})), kMaskRounding);
  EXPECT_LE(RelativeDifference(Matte(image, 32, 32), model_.Run(image, {{"side", 5}})), kMaskRounding);
  EXPECT_LE(RelativeDifference(Matte(image, 64, 96), model_.Run(image, {{"side", 0}})), kMaskRounding)
      << "its own size";
}

TEST_F(NukeMaskTest, WhatIsNoNumberIsBlack) {
  at::Tensor image = SeededImage(1, 3, 64, 64), black = image.clone();
  image.slice(2, 3, 4).fill_(NAN);
  black.slice(2, 3, 4).zero_();
  EXPECT_EQ(RelativeDifference(model_.Run(black), model_.Run(image)), 0);
}

}  // namespace
}  // namespace modelport
