#include <ATen/ops/arange.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/predict/pictures/pictures.h"

namespace modelport {
namespace {

at::Tensor Map(const std::vector<float>& values, int64_t width) {
  return at::tensor(values).reshape({-1, width}).contiguous();
}

Manifest ManifestOf(const std::string& larger_is) {
  Manifest manifest;
  manifest.set_model("toy");
  Manifest::EntryPoint& forward = *manifest.add_entry_points();
  forward.set_method("forward");
  forward.add_outputs()->set_larger_is(larger_is);
  return manifest;
}

TEST(RangeOf, LeavesOutWhatIsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const ValueRange range = RangeOf(Map({2, std::nanf(""), 9, -infinity, 5, infinity}, 3), 0, 100);
  EXPECT_EQ(range.min, 2);
  EXPECT_EQ(range.max, 9);
}

TEST(RangeOf, TakesPercentiles) {
  std::vector<float> values(101);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>((i * 37) % 101);
  const ValueRange range = RangeOf(Map(values, 101), 2, 98);
  EXPECT_EQ(range.min, 2);
  EXPECT_EQ(range.max, 98);
}

TEST(RangeOf, NoFiniteValueGivesZeros) {
  const ValueRange range = RangeOf(Map({std::nanf("")}, 1), 0, 100);
  EXPECT_EQ(range.min, 0);
  EXPECT_EQ(range.max, 0);
}

TEST(DrawDepth, TheNearestHasTheLastColour) {
  const at::Tensor depth = Map({1, 3}, 2);
  const DepthColours grey = {*FindColourMap("grey")};
  // A picture of two pixels stands in the middle of a wider one.
  const Picture nearer = DrawDepth(depth, grey, ManifestOf("nearer"));
  const int left = nearer.width() / 2 - 1;
  EXPECT_EQ(nearer.Get(left, 0), (Rgb{0, 0, 0}));
  EXPECT_EQ(nearer.Get(left + 1, 0), (Rgb{255, 255, 255}));
  const Picture farther = DrawDepth(depth, grey, ManifestOf("farther"));
  EXPECT_EQ(farther.Get(left, 0), (Rgb{255, 255, 255}));
  EXPECT_EQ(farther.Get(left + 1, 0), (Rgb{0, 0, 0}));
}

TEST(DrawDepth, PutsTheImageToTheLeft) {
  const at::Tensor depth = at::arange(400, at::kFloat).reshape({1, 400});
  const Picture photo(400, 1, {1, 2, 3});
  const Picture picture = DrawDepth(depth, {*FindColourMap("grey")}, ManifestOf("nearer"), &photo);
  EXPECT_EQ(picture.width(), 800);
  EXPECT_EQ(picture.Get(399, 0), (Rgb{1, 2, 3}));
  EXPECT_EQ(picture.Get(400, 0), (Rgb{0, 0, 0}));
  EXPECT_EQ(picture.Get(799, 0), (Rgb{255, 255, 255}));
}

TEST(DrawDepth, ValuesOutsideOfThePercentilesHaveTheEndsColours) {
  std::vector<float> values(400, 0.0f);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  values[0] = -1e6;
  const Picture picture = DrawDepth(Map(values, 400), {*FindColourMap("grey"), 1, 99}, ManifestOf("nearer"));
  EXPECT_EQ(picture.Get(0, 0), (Rgb{0, 0, 0}));
  EXPECT_NEAR(picture.Get(200, 0)[0], 128, 2);
}

using ::testing::HasSubstr;

Prediction Depth(const std::vector<float>& values) { return {.depth = at::tensor(values).reshape({1, -1})}; }

TEST(ComparePredictions, TellsTheLargestAndTheMeanDifference) {
  ASSERT_OK_AND_ASSIGN(const PredictionDifference difference, ComparePredictions(Depth({1, 2, 5}), Depth({1, 2.5, 4})));
  EXPECT_EQ(difference.largest, 1);
  EXPECT_EQ(difference.mean, 0.5);
  EXPECT_EQ(difference.range, 4);
}

TEST(ComparePredictions, EqualValuesThatAreNotFiniteDoNotDiffer) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  ASSERT_OK_AND_ASSIGN(PredictionDifference difference,
                       ComparePredictions(Depth({nan, infinity}), Depth({nan, infinity})));
  EXPECT_EQ(difference.largest, 0);
  ASSERT_OK_AND_ASSIGN(difference, ComparePredictions(Depth({nan}), Depth({1})));
  EXPECT_EQ(difference.largest, infinity);
}

TEST(ComparePredictions, OtherShapesCannotBeCompared) {
  EXPECT_THAT(ComparePredictions(Depth({1, 2}), Depth({1})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot be compared")));
}

TEST(DrawComparison, HasThreePanels) {
  at::Tensor a = at::zeros({1, 200}), b = at::zeros({1, 200});
  a[0][199] = 1;
  b[0][0] = 1;
  Manifest manifest;
  Manifest::EntryPoint& forward = *manifest.add_entry_points();
  forward.set_method("forward");
  forward.add_outputs()->set_larger_is("nearer");
  const Picture picture = DrawComparison(a, b, {*FindColourMap("grey")}, manifest);
  ASSERT_EQ(picture.width(), 600);
  const Rgb black = {0, 0, 0}, white = {255, 255, 255};
  EXPECT_EQ(picture.Get(0, 0), black);
  EXPECT_EQ(picture.Get(199, 0), white);
  EXPECT_EQ(picture.Get(200, 0), white);
  EXPECT_EQ(picture.Get(399, 0), black);
  EXPECT_EQ(picture.Get(400, 0), white);
  EXPECT_EQ(picture.Get(500, 0), black);
  EXPECT_EQ(picture.Get(599, 0), white);
}

}  // namespace
}  // namespace modelport
