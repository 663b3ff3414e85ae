#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/tensor.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/predict/scene/scene.h"

namespace modelport {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A turn by `degrees` around an axis.
at::Tensor Turn(int axis, double degrees) {
  const double angle = degrees * M_PI / 180;
  const auto c = static_cast<float>(std::cos(angle)), s = static_cast<float>(std::sin(angle));
  at::Tensor matrix = at::eye(3);
  const int i = (axis + 1) % 3, j = (axis + 2) % 3;
  matrix[i][i] = c;
  matrix[i][j] = -s;
  matrix[j][i] = s;
  matrix[j][j] = c;
  return matrix;
}

View TurnedView() {
  View view;
  view.path = "/shots/a.jpg";
  view.image.width = 640;
  view.image.height = 480;
  view.prediction.extrinsics = at::cat({Turn(2, 90), at::tensor({1.f, 2.f, 3.f}).reshape({3, 1})}, 1).contiguous();
  view.prediction.intrinsics = at::tensor({500.f, 0.f, 320.f, 0.f, 510.f, 240.f, 0.f, 0.f, 1.f}).reshape({3, 3});
  return view;
}

TEST(Cameras, QuaternionsOfEveryTurn) {
  for (const double degrees : {0., 30., 90., 150., 179., 180.}) {
    for (int axis = 0; axis < 3; ++axis) {
      std::vector<double> expected(4);
      expected[0] = std::cos(degrees * M_PI / 360);
      expected[axis + 1] = std::sin(degrees * M_PI / 360);
      EXPECT_THAT(Quaternion(Turn(axis, degrees)),
                  ElementsAre(DoubleNear(expected[0], 1e-6), DoubleNear(expected[1], 1e-6),
                              DoubleNear(expected[2], 1e-6), DoubleNear(expected[3], 1e-6)))
          << axis << " " << degrees;
    }
  }
}

TEST(Cameras, QuaternionsHaveAPositiveRealPart) {
  const std::vector<double> q = Quaternion(Turn(1, -90));
  EXPECT_GT(q[0], 0);
  EXPECT_NEAR(q[2], -std::sqrt(0.5), 1e-6);
}

TEST(Cameras, JsonHasTheMatrices) {
  const View view = TurnedView();
  const auto json = nlohmann::json::parse(CamerasJson(absl::MakeConstSpan(&view, 1)));
  const auto& camera = json.at("cameras").at(0);
  EXPECT_EQ(camera.at("image"), "a.jpg");
  EXPECT_EQ(camera.at("width"), 640);
  EXPECT_EQ(camera.at("extrinsics").at(2).at(3), 3);
  EXPECT_EQ(camera.at("intrinsics").at(1).at(1), 510);
}

TEST(Cameras, ColmapHasAPinholeAndAPoseForEachView) {
  const std::vector<View> views = {TurnedView(), TurnedView()};
  const auto files = CamerasColmap(views);
  ASSERT_EQ(files.size(), 3);
  EXPECT_EQ(files[0].first, "cameras.txt");
  EXPECT_THAT(files[0].second, HasSubstr("\n2 PINHOLE 640 480 500 510 320 240\n"));
  EXPECT_EQ(files[1].first, "images.txt");
  // Each image is two lines, the second for points.
  const std::vector<std::string> lines = absl::StrSplit(files[1].second, '\n');
  ASSERT_EQ(lines.size(), 6);
  const std::vector<std::string> words = absl::StrSplit(lines[1], ' ');
  ASSERT_EQ(words.size(), 10);
  EXPECT_EQ(words[0], "1");
  EXPECT_NEAR(std::stod(words[1]), std::sqrt(0.5), 1e-6);
  EXPECT_NEAR(std::stod(words[4]), std::sqrt(0.5), 1e-6);
  EXPECT_EQ(words[7], "3");
  EXPECT_EQ(words[9], "a.jpg");
  EXPECT_EQ(lines[2], "");
  EXPECT_EQ(files[2].first, "points3D.txt");
}

TEST(Cameras, ALineEndInANameForgesNoLine) {
  View view = TurnedView();
  view.path = "/shots/a\nb.jpg";
  EXPECT_THAT(CamerasColmap(absl::MakeConstSpan(&view, 1))[1].second, HasSubstr(" 1 a\\nb.jpg\n"));
}

}  // namespace
}  // namespace modelport
