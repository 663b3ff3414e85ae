#include "tools/predict/pictures/compare_predictions.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

Prediction Depth(const std::vector<float>& values) { return {.depth = at::tensor(values).reshape({1, -1})}; }

TEST(ComparePredictions, TellsTheLargestAndTheMeanDifference) {
  ASSERT_OK_AND_ASSIGN(const Difference difference, ComparePredictions(Depth({1, 2, 5}), Depth({1, 2.5, 4})));
  EXPECT_EQ(difference.largest, 1);
  EXPECT_EQ(difference.mean, 0.5);
  EXPECT_EQ(difference.range, 4);
}

TEST(ComparePredictions, EqualValuesThatAreNotFiniteDoNotDiffer) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  ASSERT_OK_AND_ASSIGN(Difference difference, ComparePredictions(Depth({nan, infinity}), Depth({nan, infinity})));
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
