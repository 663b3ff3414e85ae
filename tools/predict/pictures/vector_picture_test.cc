#include <ATen/ops/allclose.h>
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
#include "tools/predict/pictures/pictures.h"

namespace modelport {
namespace {

using ::testing::_;

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

}  // namespace

}  // namespace modelport
