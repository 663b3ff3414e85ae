#include "common/torchscript/weights/count_values.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
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

TEST(NonfiniteTest, FloatsOf8BitsAreCounted) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const at::ScalarType type : {at::kFloat8_e4m3fn, at::kFloat8_e5m2}) {
    EXPECT_EQ(CountNonfinite(at::full({1000}, nan, at::kDouble).to(type)), 1000);
    EXPECT_EQ(CountNonfinite(at::full({1000}, 448, at::kDouble).to(type)), 0);
  }
}

TEST(NonfiniteTest, IntegersAreFinite) { EXPECT_EQ(CountNonfinite(at::full({3}, -1, at::kLong)), 0); }

struct Case {
  at::ScalarType from;
  at::ScalarType to;
  double normal;     // Stays a normal number.
  double subnormal;  // Becomes subnormal.
  double zero;       // Becomes zero.
};

class UnderflowTest : public testing::TestWithParam<Case> {
 protected:
  at::ScalarType from() const { return GetParam().from; }
  at::ScalarType to() const { return GetParam().to; }

  // 1000 elements of every kind, both signs among them: 333 become subnormal, 250 become zero.
  at::Tensor Values() const {
    at::Tensor values = at::full({1000}, GetParam().normal, at::kDouble);
    values.slice(0, 0, 333) = GetParam().subnormal;
    values.slice(0, 500, 750) = GetParam().zero;
    values.slice(0, 900, 950) = 0;
    values.slice(0, 950, 960) = std::numeric_limits<double>::quiet_NaN();
    values.slice(0, 0, 1000, 2) *= -1;
    return values.to(from());
  }
};

void ExpectCounts(const Underflow& underflow) {
  EXPECT_EQ(underflow.zeros, 250);
  EXPECT_EQ(underflow.subnormals, 333);
}

TEST_P(UnderflowTest, CountsElementsThatBecomeZeroOrSubnormal) {
  const at::Tensor values = Values();
  ExpectCounts(CountUnderflow(values, values.to(to())));
}

TEST_P(UnderflowTest, CountsInStridedTensors) {
  const at::Tensor values = Values().view({5, 10, 20}).transpose(0, 2);
  ASSERT_FALSE(values.is_contiguous());
  ExpectCounts(CountUnderflow(values, values.to(to()).contiguous()));
}

TEST_P(UnderflowTest, CountsInSlicesOfALargerTensor) {
  const at::Tensor values = at::stack({Values(), at::full({1000}, GetParam().zero, from())}, 1).select(1, 0);
  ASSERT_FALSE(values.is_contiguous());
  ExpectCounts(CountUnderflow(values, values.to(to()).contiguous()));
}

TEST_P(UnderflowTest, CountsAllOfALargeTensor) {
  const at::Tensor values = at::full({3'000'001}, GetParam().zero, from());
  EXPECT_EQ(CountUnderflow(values, values.to(to())).zeros, 3'000'001);
}

TEST_P(UnderflowTest, AnEmptyTensorHasNone) {
  const at::Tensor values = at::empty({2, 0}, from());
  EXPECT_EQ(CountUnderflow(values, values.to(to())).zeros, 0);
}

INSTANTIATE_TEST_SUITE_P(Conversions, UnderflowTest,
                         testing::Values(Case{at::kDouble, at::kFloat, 1e-37, 1e-40, 1e-60},
                                         Case{at::kDouble, at::kHalf, 1e-4, 1e-6, 1e-9},
                                         Case{at::kDouble, at::kBFloat16, 1e-37, 1e-39, 1e-60},
                                         Case{at::kFloat, at::kHalf, 1e-4, 1e-6, 1e-9},
                                         Case{at::kBFloat16, at::kHalf, 1e-4, 1e-6, 1e-9}));

TEST(UnderflowTest, ValuesThatWereSubnormalBeforeAreNotCounted) {
  const at::Tensor values = at::full({3}, 1e-39, at::kFloat);
  const Underflow underflow = CountUnderflow(values, values.to(at::kBFloat16));
  EXPECT_EQ(underflow.zeros, 0);
  EXPECT_EQ(underflow.subnormals, 0);
}

TEST(UnderflowTest, Float16FitsIntoTheOthers) {
  const at::Tensor values = at::full({3}, 6e-8, at::kHalf);
  for (const at::ScalarType to : {at::kFloat, at::kBFloat16}) {
    const at::Tensor converted = values.to(to);
    EXPECT_TRUE(converted.ne(0).all().item<bool>());
    EXPECT_EQ(CountUnderflow(values, converted).subnormals, 0);
  }
}

}  // namespace
}  // namespace modelport
