#include "tools/predict/pictures/pictures.h"

#include <ATen/ops/allclose.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::_;

at::Tensor Map(const std::vector<float>& values, int64_t width) {
  return at::tensor(values).reshape({-1, width}).contiguous();
}

Manifest ManifestOf(const std::string& larger_is) {
  Manifest manifest;
  manifest.mutable_request()->set_model("toy");
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

TEST(CommonRange, IsFromTheLeastToTheLargestOfAllMaps) {
  const auto range = CommonRange({Map({2, 5}, 2), Map({std::nanf("")}, 1), Map({3, 9}, 2)}, 0, 100);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->min, 2);
  EXPECT_EQ(range->max, 9);
  EXPECT_EQ(CommonRange({Map({std::nanf("")}, 1)}, 0, 100), absl::nullopt);
}

// Later frames of a shot may have other values, so that a scale has two ends.
TEST(CommonRange, OfOneValueHasTwoEnds) {
  const struct {
    float value;
    double min, max;
  } cases[] = {{4, 0, 4}, {-3, -3, 0}, {0, 0, 1}};
  for (const auto& [value, min, max] : cases) {
    const auto range = CommonRange({Map({value, value}, 2), Map({value}, 1)}, 0, 100);
    ASSERT_TRUE(range.has_value()) << value;
    EXPECT_EQ(range->min, min);
    EXPECT_EQ(range->max, max);
  }
}

TEST(CommonRange, HasAllValuesWhereThePercentilesAreOne) {
  std::vector<float> values(101, 3);
  values[7] = 9;
  const auto range = CommonRange({Map(values, 101)}, 2, 98);
  ASSERT_TRUE(range.has_value());
  EXPECT_EQ(range->min, 3);
  EXPECT_EQ(range->max, 9);
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

TEST(ComparePredictions, OtherKindsCannotBeCompared) {
  const Prediction depth = Depth({1, 2}), matte = {.alpha = depth.depth};
  EXPECT_THAT(ComparePredictions(depth, matte),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("outputs of other kinds")));
  const Prediction image = {.colour = at::zeros({3, 1, 2})};
  ASSERT_OK_AND_ASSIGN(const PredictionDifference difference, ComparePredictions(image, image));
  EXPECT_EQ(difference.largest, 0);
}

TEST(DrawDepthComparison, HasThreePanels) {
  const Prediction a = {.depth = at::zeros({1, 200})}, b = {.depth = at::zeros({1, 200})};
  a.depth[0][199] = 1;
  b.depth[0][0] = 1;
  Manifest manifest;
  Manifest::EntryPoint& forward = *manifest.add_entry_points();
  forward.set_method("forward");
  forward.add_outputs()->set_larger_is("nearer");
  const Picture picture = DrawDepthComparison(a, b, {*FindColourMap("grey")}, manifest);
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

TEST(DrawComparison, TheLargestDifferenceOfAllChannelsIsShown) {
  Prediction a = {.colour = at::zeros({3, 1, 2})}, b = {.colour = at::zeros({3, 1, 2})};
  a.colour[0][0][0] = 0.5;
  b.colour[2][0][0] = 1;
  const at::Tensor difference = DifferenceMap(a, b);
  ASSERT_EQ(difference.sizes(), at::IntArrayRef({1, 2}));
  EXPECT_EQ(difference[0][0].item<float>(), 1);
  EXPECT_EQ(difference[0][1].item<float>(), 0);
  // Enlarged to the pictures.
  const Picture picture = DrawComparison(Picture(200, 2, {9, 9, 9}), Picture(200, 2, {8, 8, 8}), difference, "");
  ASSERT_EQ(picture.width(), 600);
  const Rgb first = {9, 9, 9}, second = {8, 8, 8}, black = {0, 0, 0}, white = {255, 255, 255};
  EXPECT_EQ(picture.Get(199, 1), first);
  EXPECT_EQ(picture.Get(200, 0), second);
  EXPECT_EQ(picture.Get(400, 0), white);
  EXPECT_EQ(picture.Get(499, 1), white);
  EXPECT_EQ(picture.Get(500, 1), black);
}

// Features of 5 channels and 2 x 3 patches: channel 3 varies most, then 1, then 0; the others are constant.
at::Tensor Features() {
  at::Tensor features = at::full({5, 2, 3}, 7.0f);
  features[3] = at::tensor({-30.f, 0.f, 30.f, -30.f, 0.f, 30.f}).reshape({2, 3});
  features[1] = at::tensor({5.f, -10.f, 5.f, 5.f, -10.f, 5.f}).reshape({2, 3});
  features[0] = at::tensor({1.f, 1.f, 1.f, -1.f, -1.f, -1.f}).reshape({2, 3});
  return features;
}

TEST(PrincipalComponents, AreInOrderOfVarianceWithAFixedSign) {
  ASSERT_OK_AND_ASSIGN(const at::Tensor components, PrincipalComponents(Features()));
  const at::Tensor expected = at::stack({Features()[3], Features()[1], Features()[0]});
  EXPECT_TRUE(at::allclose(components, expected, 1e-5, 1e-4)) << components;
}

TEST(PrincipalComponents, DoNotDependOnTheSignThatTheSolverGives) {
  // The solver sees other signs if channels are exchanged.
  ASSERT_OK_AND_ASSIGN(const at::Tensor components, PrincipalComponents(Features()));
  ASSERT_OK_AND_ASSIGN(const at::Tensor flipped, PrincipalComponents(Features().flip(0)));
  EXPECT_TRUE(at::allclose(components, flipped, 1e-5, 1e-4));
}

TEST(PrincipalComponents, AreZeroWhereNothingVaries) {
  ASSERT_OK_AND_ASSIGN(const at::Tensor components, PrincipalComponents(at::full({2, 1, 4}, 3.0f)));
  EXPECT_TRUE(at::equal(components, at::zeros({3, 1, 4})));
}

TEST(PrincipalComponents, RefuseWhatIsNotFinite) {
  at::Tensor features = Features();
  features[0][0][0] = std::nan("");
  EXPECT_THAT(PrincipalComponents(features), StatusIs(absl::StatusCode::kFailedPrecondition, _));
}

TEST(DrawFeatures, EachPatchIsABox) {
  ASSERT_OK_AND_ASSIGN(const Picture picture, DrawFeatures(Features(), 60, 20));
  EXPECT_EQ(picture.Get(0, 0), (Rgb{0, 255, 255}));
  EXPECT_EQ(picture.Get(19, 9), (Rgb{0, 255, 255}));
  EXPECT_EQ(picture.Get(20, 9), (Rgb{128, 0, 255}));
  EXPECT_EQ(picture.Get(59, 19), (Rgb{255, 255, 0}));
}

TEST(NormalPicture, RedPointsRightGreenUpAndBlueToTheCamera) {
  // to the right, upwards, to the camera; none, and what is no number
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor normals = at::tensor({1.f, 0.f, 0.f, 0.f, nan,   //
                                         0.f, -1.f, 0.f, 0.f, nan,  //
                                         0.f, 0.f, -1.f, 0.f, nan})
                                 .reshape({3, 1, 5});
  const Picture picture = DrawNormals(normals);
  EXPECT_EQ(picture.width(), 5);
  EXPECT_EQ(picture.height(), 1);
  EXPECT_EQ(picture.Get(0, 0), (Rgb{255, 128, 128}));
  EXPECT_EQ(picture.Get(1, 0), (Rgb{128, 255, 128}));
  EXPECT_EQ(picture.Get(2, 0), (Rgb{128, 128, 255}));
  EXPECT_EQ(picture.Get(3, 0), (Rgb{128, 128, 128}));
  EXPECT_EQ(picture.Get(4, 0), (Rgb{128, 128, 128}));
}

TEST(NormalPicture, KeepsRowsAndColumns) {
  at::Tensor normals = at::zeros({3, 2, 3});
  normals[0][1][2] = -1;
  const Picture picture = DrawNormals(normals);
  EXPECT_EQ(picture.Get(2, 1)[0], 0);
  EXPECT_EQ(picture.Get(1, 1)[0], 128);
}

// Right, up, to the left and upward, rest, farther than the longest, and no number.
TEST(DrawFlow, TheHueIsTheDirection) {
  const float half = std::sqrt(3.0f) / 2, none = std::nanf("");
  const at::Tensor right = at::tensor(std::vector<float>{2, 0, -1, 0, 9, none});
  const at::Tensor down = at::tensor(std::vector<float>{0, -1, -2 * half, 0, 0, 1});
  const at::Tensor flow = at::stack({right, down}).reshape({2, 1, 6});
  EXPECT_EQ(LongestMotion(flow), 9);
  const Picture picture = DrawFlow(flow, 2);
  EXPECT_EQ(picture.Get(0, 0), (Rgb{255, 0, 0}));
  EXPECT_EQ(picture.Get(1, 0), (Rgb{191, 255, 128}));  // Yellow-green, half as strong.
  EXPECT_EQ(picture.Get(2, 0), (Rgb{0, 255, 0}));
  EXPECT_EQ(picture.Get(3, 0), (Rgb{255, 255, 255}));
  EXPECT_EQ(picture.Get(4, 0), (Rgb{255, 0, 0}));
  EXPECT_EQ(picture.Get(5, 0), (Rgb{0, 0, 0}));
  EXPECT_EQ(DrawFlow(at::zeros({2, 1, 1}), 0).Get(0, 0), (Rgb{255, 255, 255}));
}

TEST(DrawMatteTest, ShowsTheImageAndTheMatteOverIt) {
  constexpr Rgb kGrey = {100, 100, 100};
  const Picture image(6, 4, kGrey);
  at::Tensor matte = at::zeros({4, 6});
  matte[1][2] = 1;
  matte[1][3] = 0.5;
  const Picture drawn = DrawMatte(image, matte, {});
  EXPECT_EQ(drawn.width(), 12);
  EXPECT_EQ(drawn.height(), 4);
  EXPECT_EQ(drawn.Get(2, 1), kGrey);
  EXPECT_EQ(drawn.Get(6 + 1, 1), kGrey);
  const Rgb full = drawn.Get(6 + 2, 1), half = drawn.Get(6 + 3, 1);
  EXPECT_GT(full[0], half[0]);
  EXPECT_GT(half[0], kGrey[0]);
  EXPECT_LT(full[1], half[1]);
}

TEST(DrawMatteTest, MarksThePrompt) {
  const Picture image(20, 10, {100, 100, 100});
  const Picture drawn = DrawMatte(image, at::zeros({10, 20}),
                                  {{2, 1, PointKind::kBoxTopLeft},
                                   {18, 9, PointKind::kBoxBottomRight},
                                   {10, 5, PointKind::kForeground},
                                   {0, 10, PointKind::kBackground}});
  const Rgb meant = drawn.Get(20 + 10, 5), frame = drawn.Get(20 + 2, 4), other = drawn.Get(20, 9);
  EXPECT_GT(meant[1], 200);
  EXPECT_EQ(frame, meant);
  EXPECT_GT(other[2], 200);
  EXPECT_EQ(drawn.Get(10, 5), (Rgb{100, 100, 100}));
  EXPECT_EQ(drawn.Get(20 + 6, 4), (Rgb{100, 100, 100}));
}

}  // namespace
}  // namespace modelport
