// The program draw_scene: its files, and what it refuses.
#include <algorithm>
#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "docs/pictures/scene.h"
#include "docs/pictures/trace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/tool_process.h"
#include "tools/image/read_image.h"
#include "tools/image/testing/read_exr.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ToolResult Draw(const std::vector<std::string>& arguments, const std::string& folder) {
  return FinishTool(StartProgram("docs/pictures/draw_scene", arguments, folder));
}

TEST(DrawSceneProgram, WritesAPictureAndItsDepth) {
  const std::string folder = EmptyFolder("picture");
  const ToolResult result = Draw({"a.png", "--seed=3", "--size=12x8", "--depth=a.exr"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  ASSERT_OK_AND_ASSIGN(const ReadImageResult read, ReadImage(folder + "/a.png", 1000));
  EXPECT_TRUE(Picture(read.image).rgb() == DrawScene(RandomScene(3), 12, 8, 3).rgb());
  ExrContent exr = ReadExr(folder + "/a.exr");
  EXPECT_EQ(exr.channels["depth.Z"], SceneDepth(RandomScene(3), 12, 8));
  EXPECT_EQ(exr.texts["modelport/unit"], "metres");
}

TEST(DrawSceneProgram, DrawsAtATime) {
  const std::string folder = EmptyFolder("time");
  const ToolResult result = Draw({"a.png", "--seed=3", "--size=12x8", "--time=0.75"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  ASSERT_OK_AND_ASSIGN(const ReadImageResult read, ReadImage(folder + "/a.png", 1000));
  EXPECT_TRUE(Picture(read.image).rgb() == DrawScene(Moved(RandomScene(3), 3, 0.75), 12, 8, 3).rgb());
}

TEST(DrawSceneProgram, DepthInColoursHasALegend) {
  const std::string folder = EmptyFolder("colours");
  const ToolResult result = Draw({"a.png", "--seed=3", "--size=360x240", "--depth=depth.png"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  ASSERT_OK_AND_ASSIGN(const ReadImageResult read, ReadImage(folder + "/depth.png", 1000000));
  const Picture picture(read.image);
  EXPECT_EQ(picture.width(), 360);
  EXPECT_GT(picture.height(), 240);
  const std::vector<float> depth = SceneDepth(RandomScene(3), 360, 240);
  const auto nearest = std::min_element(depth.begin(), depth.end()) - depth.begin();
  const auto farthest = std::max_element(depth.begin(), depth.end()) - depth.begin();
  const Rgb near = picture.Get(nearest % 360, nearest / 360), far = picture.Get(farthest % 360, farthest / 360);
  EXPECT_GT(near[0], near[2]);  // Red.
  EXPECT_LT(far[0], far[2]);    // Violet.
}

TEST(DrawSceneProgram, ADepthRangeSetsTheColours) {
  const std::string folder = EmptyFolder("range");
  const auto draw = [&](const char* out, const char* range) {
    return Draw({"a.png", "--seed=3", "--size=360x240", std::string("--depth=") + out, range}, folder);
  };
  ASSERT_EQ(draw("near.png", "--depth_range=0.001,0.002").exit_status, 0);
  ASSERT_OK_AND_ASSIGN(const ReadImageResult read, ReadImage(folder + "/near.png", 1000000));
  const Picture picture(read.image);
  for (int x = 0; x < 360; ++x) ASSERT_EQ(picture.Get(x, 120), picture.Get(0, 120));  // All is farther.
  const ToolResult refused = draw("refused.png", "--depth_range=3,2");
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err, HasSubstr("--depth_range wants MIN,MAX in metres, has 3,2"));
}

TEST(DrawSceneProgram, ATrimapIsUnknownBesideBorders) {
  const std::string folder = EmptyFolder("trimap");
  const ToolResult result = Draw({"a.png", "--seed=3", "--size=240x160", "--trimap=t.png", "--nearer_than=5"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  ASSERT_OK_AND_ASSIGN(const ReadImageResult read, ReadImage(folder + "/t.png", 1000000));
  const Picture trimap(read.image);
  const std::vector<float> depth = SceneDepth(RandomScene(3), 240, 160);
  int wrong = 0, unknown = 0;
  for (int y = 0; y < 160; ++y) {
    for (int x = 0; x < 240; ++x) {
      const int grey = trimap.Get(x, y)[0];
      unknown += grey > 0 && grey < 255 ? 1 : 0;
      wrong += (grey == 255 && depth[y * 240 + x] >= 5) || (grey == 0 && depth[y * 240 + x] < 5) ? 1 : 0;
    }
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(unknown, 0);
}

TEST(DrawSceneProgram, WritesManyScenes) {
  const std::string folder = EmptyFolder("scenes");
  const std::vector<std::string> flags = {"--count=2", "--first_seed=5", "--size=6x4"};
  for (const std::string name : {"a.safetensors", "b.safetensors"}) {
    ASSERT_EQ(Draw({name, flags[0], flags[1], flags[2]}, folder).exit_status, 0);
  }
  EXPECT_THAT(FileNames(folder), ElementsAre("a.safetensors", "b.safetensors"));
  EXPECT_EQ(ReadFile(folder + "/a.safetensors"), ReadFile(folder + "/b.safetensors"));
}

TEST(DrawSceneProgram, RefusesWhatIsNoSize) {
  const std::string folder = EmptyFolder("size");
  for (const char* size : {"420", "0x280", "420x280x3", "9000x10", "ax1"}) {
    const ToolResult result = Draw({"a.png", std::string("--size=") + size}, folder);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr("--size wants WIDTHxHEIGHT"));
  }
  EXPECT_THAT(Draw({}, folder).err, HasSubstr("wants one file"));
  EXPECT_THAT(Draw({"a.safetensors", "--count=0"}, folder).err, HasSubstr("--count wants at least 1"));
  EXPECT_THAT(FileNames(folder), ElementsAre());
}

}  // namespace
}  // namespace modelport
