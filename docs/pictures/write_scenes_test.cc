#include "docs/pictures/write_scenes.h"

#include <string>
#include <vector>

#include "common/checkpoint/checkpoint.h"
#include "common/status/status_matchers.h"
#include "docs/pictures/scene.h"
#include "docs/pictures/trace.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(WriteScenes, WritesImagesAndDepth) {
  const std::string path = testing::TempDir() + "scenes.safetensors";
  ASSERT_OK(WriteScenes(path, {.first_seed = 7, .count = 3, .width = 6, .height = 4}));
  ASSERT_OK_AND_ASSIGN(const Checkpoint scenes, OpenCheckpoint(path));
  const std::vector<CheckpointTensor>& tensors = scenes.state_dicts()[0].tensors;
  ASSERT_EQ(tensors.size(), 2);
  EXPECT_EQ(tensors[0].key, "depth");
  EXPECT_EQ(tensors[0].dtype, DType::kFloat32);
  EXPECT_EQ(tensors[0].shape, Shape({3, 4, 6}));
  EXPECT_EQ(tensors[1].key, "images");
  EXPECT_EQ(tensors[1].dtype, DType::kUInt8);
  EXPECT_EQ(tensors[1].shape, Shape({3, 4, 6, 3}));
  const std::vector<float> depth = SceneDepth(RandomScene(9), 6, 4);
  const std::string bytes = RowMajorBytes(scenes, tensors[0]);
  EXPECT_EQ(bytes.substr(2 * 96), std::string(reinterpret_cast<const char*>(depth.data()), 96));
  const Picture picture = DrawScene(RandomScene(9), 6, 4, 2);
  EXPECT_EQ(RowMajorBytes(scenes, tensors[1]).substr(2 * 72), std::string(picture.rgb().begin(), picture.rgb().end()));
}

TEST(WriteScenes, DrawsThemAtATime) {
  const std::string path = testing::TempDir() + "later.safetensors";
  ASSERT_OK(WriteScenes(path, {.first_seed = 7, .count = 2, .width = 6, .height = 4, .time = 0.5}));
  ASSERT_OK_AND_ASSIGN(const Checkpoint scenes, OpenCheckpoint(path));
  const Picture picture = DrawScene(Moved(RandomScene(8), 8, 0.5), 6, 4, 2);
  EXPECT_EQ(RowMajorBytes(scenes, scenes.state_dicts()[0].tensors[1]).substr(72),
            std::string(picture.rgb().begin(), picture.rgb().end()));
}

}  // namespace
}  // namespace modelport
