#include "tools/predict/scene/scene.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/tensor.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "absl/strings/str_split.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

// A view of 2 x 1 pixels, red and green, from a camera that stands at z = -1 and looks forward.
View MakeView() {
  View view;
  view.image = {2, 1, std::vector<uint8_t>{255, 0, 0, 0, 255, 0}};
  view.prediction.depth = at::tensor({2.f, 4.f}).reshape({1, 2});
  view.prediction.confidence = at::tensor({1.f, 3.f}).reshape({1, 2});
  view.prediction.extrinsics = at::tensor({1.f, 0.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 0.f, 1.f, 1.f}).reshape({3, 4});
  view.prediction.intrinsics = at::tensor({2.f, 0.f, 1.f, 0.f, 2.f, 0.5f, 0.f, 0.f, 1.f}).reshape({3, 3});
  return view;
}

PointCloud CloudOf(const View& view, double percent = 0) {
  return MakePointCloud(absl::MakeConstSpan(&view, 1), percent);
}

TEST(PointCloud, UnprojectsTheMiddlesOfPixels) {
  const PointCloud cloud = CloudOf(MakeView());
  // (0.5 - 1) / 2 * 2 and (1.5 - 1) / 2 * 4; the rows' middle is the principal point.
  EXPECT_THAT(cloud.points, ElementsAre(ElementsAre(-0.5f, 0, 1), ElementsAre(1, 0, 3)));
  EXPECT_THAT(cloud.colours, ElementsAre(Rgb{255, 0, 0}, Rgb{0, 255, 0}));
  EXPECT_EQ(cloud.left_out, 0);
}

TEST(PointCloud, UndoesTheRotationOfTheCamera) {
  View view = MakeView();
  // The camera looks along the world's x: its z is the world's x, its x the world's -z.
  view.prediction.extrinsics =
      at::tensor({0.f, 0.f, -1.f, 0.f, 0.f, 1.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f}).reshape({3, 4});
  EXPECT_THAT(CloudOf(view).points[1], ElementsAre(FloatNear(4, 1e-6), FloatNear(0, 1e-6), FloatNear(-1, 1e-6)));
}

TEST(PointCloud, LeavesOutWhatIsUncertainSkyOrNowhere) {
  View view = MakeView();
  PointCloud cloud = CloudOf(view, 100);
  EXPECT_THAT(cloud.points, SizeIs(1));
  EXPECT_EQ(cloud.points[0][2], 3);
  EXPECT_EQ(cloud.left_out, 1);
  view.prediction.sky = at::tensor({0.1f, 0.9f}).reshape({1, 2});
  cloud = CloudOf(view);
  EXPECT_THAT(cloud.points, SizeIs(1));
  EXPECT_EQ(cloud.points[0][2], 1);
  view.prediction.depth = at::tensor({std::nanf(""), 0.f}).reshape({1, 2});
  EXPECT_THAT(CloudOf(view).points, IsEmpty());
}

template <typename T>
T At(const std::string& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

TEST(PointCloud, PlyIsAHeaderAndRecordsOf15Bytes) {
  const std::string ply = EncodePly(CloudOf(MakeView()));
  EXPECT_THAT(ply, StartsWith("ply\nformat binary_little_endian 1.0\n"));
  EXPECT_THAT(ply, HasSubstr("element vertex 2\n"));
  const size_t data = ply.find("end_header\n") + 11;
  ASSERT_EQ(ply.size(), data + 30);
  EXPECT_EQ(At<float>(ply, data), -0.5f);
  EXPECT_EQ(At<float>(ply, data + 15 + 8), 3);
  EXPECT_EQ(At<uint8_t>(ply, data + 15 + 13), 255);
}

TEST(PointCloud, GlbIsWellFormedAndUpright) {
  View view = MakeView();
  view.prediction.intrinsics[1][2] = 0.0f;  // Points below the middle.
  ASSERT_OK_AND_ASSIGN(const std::string glb, EncodeGlb(CloudOf(view)));
  EXPECT_THAT(glb, StartsWith("glTF"));
  EXPECT_EQ(At<uint32_t>(glb, 4), 2);
  EXPECT_EQ(At<uint32_t>(glb, 8), glb.size());
  const uint32_t json_size = At<uint32_t>(glb, 12);
  EXPECT_EQ(json_size % 4, 0);
  const auto json = nlohmann::json::parse(glb.substr(20, json_size));
  const size_t binary = 20 + json_size + 8;
  EXPECT_EQ(At<uint32_t>(glb, binary - 8), glb.size() - binary);
  EXPECT_EQ(json["buffers"][0]["byteLength"], glb.size() - binary);
  EXPECT_EQ(json["accessors"][0]["count"], 2);
  // glTF's y points up, its z towards the viewer.
  EXPECT_EQ(At<float>(glb, binary + 4), -0.5f);
  EXPECT_EQ(At<float>(glb, binary + 8), -1);
  EXPECT_EQ(json["accessors"][0]["min"][2], -3);
  const size_t colours = binary + json["bufferViews"][1]["byteOffset"].get<size_t>();
  EXPECT_EQ(At<uint32_t>(glb, colours), 0xff0000ffu);
  EXPECT_EQ(glb.size(), colours + 8);
}

TEST(PointCloud, GlbWithoutPointsIsRefused) {
  EXPECT_THAT(EncodeGlb(PointCloud()), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("--conf")));
}

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
