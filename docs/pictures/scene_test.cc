#include "docs/pictures/scene.h"

#include "common/status/status_matchers.h"
#include "docs/pictures/trace.h"
#include "gtest/gtest.h"
#include "tools/image/read_image.h"

namespace modelport {
namespace {

TEST(RandomScene, OfTheDocumentationIsTheCommittedPicture) {
  ASSERT_OK_AND_ASSIGN(const ReadImageResult committed, ReadImage("docs/pictures/scene.png", 1000000));
  const Picture picture(committed.image);
  EXPECT_TRUE(DrawScene(RandomScene(kPictureSeed), picture.width(), picture.height(), 3).rgb() == picture.rgb());
}

TEST(RandomScene, IsThatOfItsSeed) {
  const auto draw = [](uint64_t seed) { return DrawScene(RandomScene(seed), 30, 20, 1).rgb(); };
  EXPECT_EQ(draw(5), draw(5));
  EXPECT_NE(draw(5), draw(6));
}

TEST(RandomScene, IsInFrontOfTheCamera) {
  int rooms = 0, open = 0, solids[3] = {};
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Scene scene = RandomScene(seed);
    EXPECT_GE(scene.camera.height, 1.1);
    EXPECT_LE(scene.camera.height, 1.5);
    EXPECT_LT(scene.camera.forward.y, 0);
    (scene.room ? rooms : open) += 1;
    for (const Solid& solid : scene.solids) {
      ++solids[static_cast<int>(solid.kind)];
      EXPECT_DOUBLE_EQ(solid.centre.y, solid.half.y) << seed;  // It stands on the floor.
    }
    for (const float depth : SceneDepth(scene, 30, 20)) {
      EXPECT_GT(depth, 0.5) << seed;
      EXPECT_LE(depth, kDepthLimit) << seed;
    }
  }
  EXPECT_GT(rooms, 90);
  EXPECT_GT(open, 90);
  for (const int count : solids) EXPECT_GT(count, 200);
}

}  // namespace
}  // namespace modelport
