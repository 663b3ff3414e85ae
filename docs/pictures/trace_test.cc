#include "docs/pictures/trace.h"

#include <cmath>
#include <vector>

#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr int kWidth = 31, kHeight = 21;

// A camera that looks straight ahead over an empty floor.
Scene EmptyScene() {
  Scene scene;
  scene.camera = {1.2, {0, 0, 1}};
  scene.light = {false, {0, 1, 0}, 0.5, 0.3};
  scene.floor.first = {0.5, 0.5, 0.5};
  scene.horizon = scene.zenith = {0, 0, 1};
  scene.haze = 1e9;
  return scene;
}

float DepthAt(const Scene& scene, int x, int y) { return SceneDepth(scene, kWidth, kHeight)[y * kWidth + x]; }

TEST(SceneDepth, OfTheFloorIsThatOfItsRow) {
  const Scene scene = EmptyScene();
  // A ray that falls by s for each metre ahead meets the floor after 1.2 / s metres, wherever it goes sideways.
  const double fall = (20.5 - kHeight / 2.0) * kPictureWidth / kWidth;
  for (const int x : {0, 15, 30}) EXPECT_FLOAT_EQ(DepthAt(scene, x, 20), 1.2 / fall);
}

TEST(SceneDepth, OfTheSkyIsTheLimit) {
  EXPECT_EQ(DepthAt(EmptyScene(), 3, 0), kDepthLimit);
  EXPECT_EQ(DepthAt(EmptyScene(), 15, 10), kDepthLimit);  // The horizon.
}

TEST(SceneDepth, OfABallsMiddleIsItsNearSide) {
  Scene scene = EmptyScene();
  scene.solids.push_back(MakeBall({0, 1.2, 6}, 1.2, {}));
  EXPECT_FLOAT_EQ(DepthAt(scene, 15, 10), 4.8);
}

TEST(SceneDepth, IsAlongTheAxisOfACameraThatLooksDown) {
  Scene scene = EmptyScene();
  scene.camera.forward = Unit({0, -1, 2});
  EXPECT_FLOAT_EQ(DepthAt(scene, 15, 10), 1.2 * std::sqrt(5));
}

TEST(SceneDepth, OfAWallIsTheSameEverywhere) {
  Scene scene = EmptyScene();
  scene.room = Room{-50, 50, -1, 7, 30, true, {}, {}};
  for (const int x : {0, 15, 30}) EXPECT_FLOAT_EQ(DepthAt(scene, x, 5), 7);
}

TEST(DrawScene, ShowsShadowsAndSky) {
  Scene scene = EmptyScene();
  const Picture empty = DrawScene(scene, kWidth, kHeight, 2);
  EXPECT_EQ(empty.Get(15, 0), Rgb({0, 0, 255}));
  scene.solids.push_back(MakeBall({0, 9, 4}, 0.5, {}));  // Above the picture.
  const Picture shaded = DrawScene(scene, kWidth, kHeight, 2);
  const int row = 17;  // The floor 4 metres ahead.
  EXPECT_LT(shaded.Get(15, row)[0], empty.Get(15, row)[0]);
  EXPECT_EQ(shaded.Get(15, 20), empty.Get(15, 20));
}

}  // namespace
}  // namespace modelport
