#include "docs/pictures/random_numbers.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(RandomNumbers, AreThoseOfSplitMix64) {
  // The published generator begins with this number for the state 0, which the seed 0 gives.
  RandomNumbers random(0);
  EXPECT_EQ(random.Bits(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(random.Bits(), 0x6e789e6aa1b965f4u);
}

TEST(RandomNumbers, StayInTheirRange) {
  RandomNumbers random(7);
  double least = 1, most = 0;
  int chosen = 0;
  for (int i = 0; i < 1000; ++i) {
    const double number = random.Between(-2, 3);
    EXPECT_GE(number, -2);
    EXPECT_LT(number, 3);
    least = std::min(least, number);
    most = std::max(most, number);
    chosen += random.Chance(0.25) ? 1 : 0;
  }
  EXPECT_LT(least, -1.9);
  EXPECT_GT(most, 2.9);
  EXPECT_NEAR(chosen, 250, 60);
}

}  // namespace
}  // namespace modelport
