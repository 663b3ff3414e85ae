#include "tools/predict/pictures/normal_picture.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "gtest/gtest.h"

namespace modelport {
namespace {

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
