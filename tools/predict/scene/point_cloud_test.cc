#include <ATen/ops/tensor.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/predict/scene/scene.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

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

}  // namespace
}  // namespace modelport
