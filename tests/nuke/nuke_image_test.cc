// Artifacts for Nuke give the model's own output for images of any size.
#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/upsample_bilinear2d.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

constexpr double kRounding = 1e-6;

struct Size {
  int64_t height, width;
};

class NukeImageTest : public testing::TestWithParam<std::string> {
 protected:
  // As a part of the range or, of a class map, of the largest element: a small image has one cell of 32 pixels, and so
  // one value. Models with a mask may give one depth everywhere, too.
  static double Error(const at::Tensor& expected, const at::Tensor& actual) {
    const bool may_be_constant = IsClassMap(GetParam()) || FindsCamera(GetParam());
    return may_be_constant ? PartOfLargest(expected, actual) : RelativeDifference(expected, actual);
  }

  // The same, but also as a part of the largest element where nearly one depth is everywhere, so that a float's last
  // digit is a large part of the range.
  static double Difference(const at::Tensor& expected, const at::Tensor& actual) {
    return HasNearestDepth(GetParam()) ? PartOfLargest(expected, actual) : Error(expected, actual);
  }

  NukeModel model_ = GetNukeModel(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Models, NukeImageTest, testing::ValuesIn(NukeImageModels()),
                         [](const auto& info) { return info.param; });

TEST_P(NukeImageTest, MultiplesOfThePatchGiveTheModelsOwnOutput) {
  const int64_t patch = std::max<int64_t>(model_.multiple_of(), 14);
  for (const auto [rows, columns] : {Size{2, 2}, Size{1, 4}, Size{5, 3}}) {
    const int64_t height = rows * patch, width = columns * patch;
    const at::Tensor image = SeededImage(1, 3, height, width);
    EXPECT_LE(Error(model_.RunPlain(model_.Normalised(image)), model_.Run(image)), kRounding) << height;
  }
}

// The source of pixel `i` of a padded side: mirrored at the last of `size` pixels, without repeating it, or the last
// pixel if the padding is as large as the side.
int64_t PaddingSource(int64_t i, int64_t size, int64_t padded) {
  if (i < size) return i;
  return padded - size < size ? 2 * (size - 1) - i : size - 1;
}

at::Tensor PadSide(const at::Tensor& image, int64_t dim, int64_t multiple) {
  const int64_t size = image.size(dim), padded = (size + multiple - 1) / multiple * multiple;
  std::vector<int64_t> sources;
  for (int64_t i = 0; i < padded; ++i) sources.push_back(PaddingSource(i, size, padded));
  return image.index_select(dim, at::tensor(sources));
}

// The plain model's output for an image of any size.
at::Tensor PaddedAndCropped(const NukeModel& model, const at::Tensor& image) {
  const int64_t multiple = model.multiple_of();
  const at::Tensor output = model.RunPlain(PadSide(PadSide(model.Normalised(image), 2, multiple), 3, multiple));
  return output.slice(2, 0, image.size(2)).slice(3, 0, image.size(3));
}

TEST_P(NukeImageTest, OddSizesAreMirroredAndCroppedExactly) {
  for (const auto [height, width] : {Size{31, 45}, Size{27, 13}, Size{15, 29}, Size{8, 43}, Size{42, 41}}) {
    const at::Tensor image = SeededImage(1, 3, height, width);
    EXPECT_LE(Error(PaddedAndCropped(model_, image), model_.Run(image)), kRounding) << height;
  }
}

// Where both sides are multiples of 14, a side of 7 pixels lacks 7, too many to be mirrored; a side of 8 lacks 6.
TEST_P(NukeImageTest, ImagesTooSmallToBeMirroredRepeatTheirLastPixels) {
  for (const auto [height, width] : {Size{7, 8}, Size{8, 7}, Size{13, 1}, Size{1, 20}, Size{5, 9}}) {
    const at::Tensor image = SeededImage(1, 3, height, width);
    EXPECT_LE(Difference(PaddedAndCropped(model_, image), model_.Run(image)), kRounding) << height;
  }
  const at::Tensor pixel = SeededImage(1, 3, 1, 1);
  EXPECT_TRUE(at::allclose(model_.Run(pixel), PaddedAndCropped(model_, pixel), /*rtol=*/1e-5));
}

// Kernels sum a batch in another order than a single image.
TEST_P(NukeImageTest, ImagesOfABatchAreEachOnTheirOwn) {
  const at::Tensor images = SeededImage(3, 3, 31, 20);
  std::map<std::string, c10::IValue> knobs;
  // It would stretch the rounding of nearly one depth to the range of the output.
  if (model_.nuke.hasattr("normalize") && !HasNearestDepth(GetParam())) knobs["normalize"] = 1;
  const at::Tensor batch = model_.Run(images, knobs);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_LE(Difference(model_.Run(images.slice(0, i, i + 1)), batch.slice(0, i, i + 1)), 1e-5) << i;
  }
}

// The mean over the area of each output. Rows and columns are repeated so that each output covers whole copies.
at::Tensor Shrunk(const at::Tensor& image, const Size& size) {
  const at::Tensor rows = image.repeat_interleave(size.height, 2)
                              .reshape({image.size(0), image.size(1), size.height, image.size(2), image.size(3)})
                              .mean(3);
  return rows.repeat_interleave(size.width, 3)
      .reshape({image.size(0), image.size(1), size.height, size.width, image.size(3)})
      .mean(4);
}

TEST_P(NukeImageTest, MaxSizeBoundsTheWorkingResolution) {
  const struct {
    Size image, working;
  } cases[] = {{{64, 90}, {40, 56}}, {{90, 64}, {56, 40}}, {{57, 3}, {56, 3}}, {{600, 1}, {56, 1}}};
  // A solve for a camera, and the direction of a short vector, magnify what float32 rounds.
  const at::ScalarType type = FindsCamera(GetParam()) ? at::kDouble : at::kFloat;
  model_.nuke.to(type);
  model_.plain.to(type);
  for (const auto& c : cases) {
    const at::Tensor image = SeededImage(1, 3, c.image.height, c.image.width).to(type);
    const at::Tensor small = Shrunk(image, c.working);
    const at::Tensor expected =
        at::upsample_bilinear2d(PaddedAndCropped(model_, small), {c.image.height, c.image.width}, false);
    at::Tensor output = model_.Run(image, {{"max_size", 56}});
    // Normals are brought to length 1 again.
    if (IsNormals(GetParam())) output = output * expected.norm(2, {1}, /*keepdim=*/true);
    EXPECT_LE(Difference(expected, output), 1e-5) << c.image.height;
  }
}

TEST_P(NukeImageTest, ASizeWithinTheBoundIsNotResized) {
  const at::Tensor image = SeededImage(1, 3, 56, 31);
  const at::Tensor expected = PaddedAndCropped(model_, image);
  for (const int64_t max_size : {56, 57, 100000, 0, -1}) {
    EXPECT_LE(Error(expected, model_.Run(image, {{"max_size", max_size}})), kRounding) << max_size;
  }
}

TEST_P(NukeImageTest, NanPixelsAreBlack) {
  at::Tensor black = SeededImage(1, 3, 28, 42), broken = black.clone();
  black.slice(2, 3, 5).zero_();
  broken.slice(2, 3, 5).fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(at::equal(model_.Run(black), model_.Run(broken)));
}

TEST_P(NukeImageTest, ABoundBelowAPatchWorks) {
  for (const int64_t max_size : {1, 5, 13}) {
    const at::Tensor output = model_.Run(SeededImage(1, 3, 31, 20), {{"max_size", max_size}});
    EXPECT_EQ(output.sizes().slice(2), at::IntArrayRef({31, 20}));
    EXPECT_TRUE(output.isfinite().all().item<bool>());
  }
}

TEST_P(NukeImageTest, TheFirstThreeChannelsAreUsedAndClampedToTheUnitRange) {
  const at::Tensor image = SeededImage(1, 3, 31, 20);
  const at::Tensor expected = model_.Run(image);
  EXPECT_TRUE(at::equal(expected, model_.Run(at::cat({image, at::full({1, 2, 31, 20}, 7.0)}, 1))));
  const at::Tensor wild = (image - 0.5) * 3;
  EXPECT_TRUE(at::equal(model_.Run(wild.clamp(0, 1)), model_.Run(wild)));
  EXPECT_THROW(model_.Run(image.slice(1, 0, 2)), std::exception);
  EXPECT_THROW(model_.Run(image[0]), std::exception);
}

TEST_P(NukeImageTest, TheInputIsNotChangedAndTheOutputIsContiguous) {
  const at::Tensor image = SeededImage(1, 4, 31, 20) * 2;
  const at::Tensor before = image.clone();
  const at::Tensor output = model_.Run(image);
  EXPECT_TRUE(at::equal(image, before));
  EXPECT_TRUE(output.is_contiguous());
}

}  // namespace
}  // namespace modelport
