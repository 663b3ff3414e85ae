#include "docs/pictures/texture.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

using Pattern = Texture::Pattern;

// Whether the colour is the second: 0 or 1, or between for noise.
double PartAt(Pattern pattern, Vector point) { return ColourAt({pattern, {}, {1, 1, 1}, 0.5, 3}, point).x; }

TEST(Texture, PlainIsOneColour) { EXPECT_EQ(PartAt(Pattern::kPlain, {7, 8, 9}), 0); }

TEST(Texture, TilesAlternate) {
  EXPECT_EQ(PartAt(Pattern::kTiles, {0.1, 0.1, 0.1}), 0);
  EXPECT_EQ(PartAt(Pattern::kTiles, {0.6, 0.1, 0.1}), 1);
  EXPECT_EQ(PartAt(Pattern::kTiles, {0.6, 0.1, 0.6}), 0);
  EXPECT_EQ(PartAt(Pattern::kTiles, {-0.1, 0.1, 0.1}), 1);
}

TEST(Texture, StripesRunAlongZ) {
  EXPECT_EQ(PartAt(Pattern::kStripes, {0.6, 0.1, 0.1}), 1);
  EXPECT_EQ(PartAt(Pattern::kStripes, {0.6, 0.1, 0.6}), 1);
  EXPECT_EQ(PartAt(Pattern::kStripes, {1.1, 0.1, 0.6}), 0);
}

TEST(Texture, NoiseIsSmooth) {
  double least = 1, most = 0, before = PartAt(Pattern::kNoise, {-4, 0.2, 0.3});
  for (double x = -4; x < 4; x += 0.01) {
    const double part = PartAt(Pattern::kNoise, {x, 0.2, 0.3});
    EXPECT_NEAR(part, before, 0.06) << x;
    least = std::min(least, part);
    most = std::max(most, part);
    before = part;
  }
  EXPECT_GE(least, 0);
  EXPECT_LE(most, 1);
  EXPECT_GT(most - least, 0.4);
}

}  // namespace
}  // namespace modelport
