#include "common/torchscript/weights/nonfinite.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include <limits>

#include "gtest/gtest.h"

namespace modelport {
namespace {

class NonfiniteTest : public testing::TestWithParam<at::ScalarType> {};

TEST_P(NonfiniteTest, CountsNaNsAndInfinitiesOfBothSigns) {
  at::Tensor values = at::zeros({10000}, at::kDouble);
  EXPECT_EQ(CountNonfinite(values.to(GetParam())), 0);
  values[0] = std::numeric_limits<double>::quiet_NaN();
  values[5000] = std::numeric_limits<double>::infinity();
  values[9999] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(CountNonfinite(values.to(GetParam())), 3);
}

TEST_P(NonfiniteTest, TheLargestFiniteValueIsFinite) {
  const double largest = GetParam() == at::kHalf ? 65504 : 3e38;
  EXPECT_EQ(CountNonfinite(at::full({3}, largest, at::kDouble).to(GetParam())), 0);
}

TEST_P(NonfiniteTest, AllOfALargeTensor) {
  EXPECT_EQ(CountNonfinite(at::full({200001}, std::numeric_limits<double>::infinity(), at::kDouble).to(GetParam())),
            200001);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, NonfiniteTest, testing::Values(at::kDouble, at::kFloat, at::kHalf, at::kBFloat16));

TEST(NonfiniteTest, IntegersAreFinite) { EXPECT_EQ(CountNonfinite(at::full({3}, -1, at::kLong)), 0); }

}  // namespace
}  // namespace modelport
