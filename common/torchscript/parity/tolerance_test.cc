#include "common/torchscript/parity/tolerance.h"

#include <limits>

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(ToleranceTest, FollowsFromTheNoiseWithinBounds) {
  EXPECT_DOUBLE_EQ(Tolerance(1e-5, 1, at::kFloat), 4e-5);
  EXPECT_DOUBLE_EQ(Tolerance(0, 2, at::kFloat), 8e-6);
  EXPECT_DOUBLE_EQ(Tolerance(std::numeric_limits<double>::infinity(), 2, at::kFloat), 2e-3);
  EXPECT_DOUBLE_EQ(Tolerance(0, 1, at::kHalf), 0x1p-10);
  EXPECT_DOUBLE_EQ(Tolerance(1, 1, at::kHalf), 0x1p-6);
  EXPECT_DOUBLE_EQ(Tolerance(0, 1, at::kBFloat16), 0x1p-7);
  EXPECT_DOUBLE_EQ(Tolerance(1, 1, at::kBFloat16), 0x1p-3);
}

TEST(ToleranceTest, IntegersMustBeEqual) { EXPECT_EQ(Tolerance(1, 1, at::kLong), 0); }

}  // namespace
}  // namespace modelport
