#include "docs/pictures/scene.h"

#include <algorithm>

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

TEST(Moved, IsTheSceneItselfAtTheBeginning) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Scene scene = RandomScene(seed);
    EXPECT_EQ(DrawScene(Moved(scene, seed, 0), 30, 20, 1).rgb(), DrawScene(scene, 30, 20, 1).rgb()) << seed;
  }
}

TEST(Moved, GoesStraightAtAConstantSpeed) {
  int still = 0, moving = 0, walls = 0;
  double farthest = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Scene scene = RandomScene(seed), half = Moved(scene, seed, 0.5), whole = Moved(scene, seed, 1);
    for (size_t i = 0; i < scene.solids.size(); ++i) {
      const Vector from = scene.solids[i].centre;
      const Vector first = half.solids[i].centre - from, all = whole.solids[i].centre - from;
      EXPECT_NEAR(Length(all - first * 2), 0, 1e-12) << seed;
      EXPECT_GE(all.y, 0) << seed;  // Nothing sinks into the floor.
      farthest = std::max(farthest, Length(all) / Length({from.x, 0, from.z}));
      if (scene.solids[i].stays) {
        ++walls;
        EXPECT_EQ(Length(all), 0) << seed;
      } else {
        (Length(all) == 0 ? still : moving) += 1;
      }
    }
  }
  EXPECT_GT(farthest, 0.1);
  EXPECT_LE(farthest, 0.117);
  EXPECT_GT(walls, 40);
  EXPECT_GT(still, 100);
  EXPECT_GT(moving, 3 * still);
}

TEST(Moved, IsThatOfItsSeed) {
  const Scene scene = RandomScene(5);
  const auto place = [&](uint64_t seed) { return Length(Moved(scene, seed, 1).solids.back().centre); };
  EXPECT_EQ(place(1), place(1));
  EXPECT_NE(place(1), place(2));
}

}  // namespace
}  // namespace modelport
