#include "docs/pictures/solid.h"

#include <cmath>

#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr Vector kAhead = {0, 0, 1};

TEST(Solid, RaysMeetTheNearSide) {
  EXPECT_DOUBLE_EQ(Meet(MakeBall({0, 0, 5}, 1, {}), {}, kAhead), 4);
  EXPECT_DOUBLE_EQ(Meet(MakeCylinder({0, 0, 5}, 2, 1, {}), {}, kAhead), 3);
  EXPECT_DOUBLE_EQ(Meet(MakeBox({0, 0, 5}, {1, 1, 2}, {1, 0, 0}, {}), {}, kAhead), 3);
  // Turned by 45 degrees, an edge is in front.
  EXPECT_NEAR(Meet(MakeBox({0, 0, 5}, {1, 1, 1}, {1, 0, 1}, {}), {}, kAhead), 5 - std::sqrt(2), 1e-9);
}

TEST(Solid, RaysFromAboveMeetTheTop) {
  const Vector above = {0.5, 9, 0.5}, down = {0, -1, 0};
  EXPECT_DOUBLE_EQ(Meet(MakeCylinder({0, 1, 0}, 1, 1, {}), above, down), 7);
  EXPECT_DOUBLE_EQ(Meet(MakeBox({0, 1, 0}, {1, 1, 1}, {1, 0, 1}, {}), above, down), 7);
}

TEST(Solid, RaysPassBy) {
  for (const Solid& solid :
       {MakeBall({0, 0, 5}, 1, {}), MakeCylinder({0, 0, 5}, 1, 1, {}), MakeBox({0, 0, 5}, {1, 1, 1}, {1, 0, 0}, {})}) {
    EXPECT_EQ(Meet(solid, {1.01, 0, 0}, kAhead), kNever);
    EXPECT_EQ(Meet(solid, {0, 1.01, 0}, kAhead), kNever);
    EXPECT_EQ(Meet(solid, {0, 0, 9}, kAhead), kNever);  // It is behind.
  }
}

TEST(Solid, NormalsPointOutwards) {
  const Solid box = MakeBox({0, 0, 5}, {1, 1, 2}, {1, 0, 0}, {});
  EXPECT_DOUBLE_EQ(NormalAt(box, {0.5, 0.2, 3}).z, -1);
  EXPECT_DOUBLE_EQ(NormalAt(box, {-1, 0.2, 4}).x, -1);
  EXPECT_DOUBLE_EQ(NormalAt(box, {0.5, 1, 4}).y, 1);
  EXPECT_DOUBLE_EQ(NormalAt(MakeBall({0, 0, 5}, 2, {}), {0, 2, 5}).y, 1);
  EXPECT_DOUBLE_EQ(NormalAt(MakeCylinder({0, 0, 5}, 2, 1, {}), {2, 0.5, 5}).x, 1);
  EXPECT_DOUBLE_EQ(NormalAt(MakeCylinder({0, 0, 5}, 2, 1, {}), {1, 1, 5}).y, 1);
}

TEST(Solid, OverlapsOnTheGround) {
  const Solid box = MakeBox({0, 0, 5}, {3, 1, 0.1}, {1, 0, 0}, {}), ball = MakeBall({0, 1, 5}, 1, {});
  EXPECT_TRUE(Overlaps(box, {2, 0, 5.5}, 0.5));
  EXPECT_FALSE(Overlaps(box, {2, 0, 5.7}, 0.5));
  EXPECT_TRUE(Overlaps(ball, {0, 0, 6.4}, 0.5));
  EXPECT_FALSE(Overlaps(ball, {0, 0, 6.6}, 0.5));
}

}  // namespace
}  // namespace modelport
