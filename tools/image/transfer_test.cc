#include "tools/image/transfer.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(Transfer, FollowsTheStandard) {
  EXPECT_EQ(LinearToSrgb(0), 0);
  EXPECT_FLOAT_EQ(LinearToSrgb(0.001f), 0.01292f);
  EXPECT_NEAR(LinearToSrgb(0.18f), 0.46135613, 1e-6);
  EXPECT_NEAR(LinearToSrgb(0.5f), 0.73535698, 1e-6);
  EXPECT_FLOAT_EQ(LinearToSrgb(1), 1);
}

TEST(Transfer, ToLinearIsTheInverse) {
  for (const float linear : {0.0f, 0.001f, 0.0031308f, 0.18f, 0.5f, 1.0f}) {
    EXPECT_NEAR(SrgbToLinear(LinearToSrgb(linear)), linear, 1e-6);
  }
}

TEST(Transfer, ClipsWhatASensorOrARendererExceeds) {
  EXPECT_EQ(LinearToSrgb(-0.5f), 0);
  EXPECT_FLOAT_EQ(LinearToSrgb(16), 1);
  EXPECT_FLOAT_EQ(LinearToSrgb(std::numeric_limits<float>::infinity()), 1);
  EXPECT_EQ(LinearToSrgb(std::nanf("")), 0);
}

}  // namespace
}  // namespace modelport
