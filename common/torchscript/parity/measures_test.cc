#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

#include "common/status/status_matchers.h"
#include "common/torchscript/parity/compare_reference.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(MeasureTest, DifferencesByHand) {
  const Measures measures = Measure(at::tensor({3.0, -4.0}), at::tensor({3.0, -4.5}));
  EXPECT_DOUBLE_EQ(measures.max_abs, 0.5);
  EXPECT_DOUBLE_EQ(measures.mean_abs, 0.25);
  EXPECT_DOUBLE_EQ(measures.scale, 4);
  EXPECT_DOUBLE_EQ(measures.relative(), 0.125);
  EXPECT_DOUBLE_EQ(measures.cosine, 27 / (5 * std::sqrt(29.25)));
  EXPECT_DOUBLE_EQ(measures.snr, 20);
}

TEST(MeasureTest, EqualAndEmptyTensors) {
  for (const at::Tensor& tensor : {at::ones({3}), at::zeros({3}), at::empty({0})}) {
    const Measures measures = Measure(tensor, tensor);
    EXPECT_EQ(measures.max_abs, 0);
    EXPECT_EQ(measures.relative(), 0);
    EXPECT_EQ(measures.cosine, 1);
    EXPECT_TRUE(std::isinf(measures.snr));
  }
}

TEST(MeasureTest, ElementsThatAreNotFiniteAreCountedAndDifferInfinitely) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Measures measures = Measure(at::ones({4}), at::tensor({1.0, std::nan(""), kInfinity, -kInfinity}));
  EXPECT_EQ(measures.nan, 1);
  EXPECT_EQ(measures.infinite, 2);
  EXPECT_EQ(measures.max_abs, kInfinity);
}

TEST(MeasureTest, IntegersThatAreEqualOnlyInFloat64Differ) {
  const int64_t large = int64_t{1} << 60;
  EXPECT_EQ(Measure(at::tensor({large}), at::tensor({large + 1})).max_abs, 1);
  EXPECT_EQ(Measure(at::tensor({large}), at::tensor({large})).max_abs, 0);
}

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

TEST(SliceTest, TakesWhatNumpyTakes) {
  const at::Tensor tensor = at::arange(24).view({2, 3, 4});
  ASSERT_OK_AND_ASSIGN(const at::Tensor slice, Slice(tensor, "[0:1, ::2, 1:]"));
  EXPECT_TRUE(slice.equal(at::tensor({1, 2, 3, 9, 10, 11}).view({1, 2, 3})));
  ASSERT_OK_AND_ASSIGN(const at::Tensor whole, Slice(tensor, ""));
  EXPECT_TRUE(whole.equal(tensor));
}

TEST(SliceTest, OtherFormsAreErrors) {
  for (const char* slice : {"0:1", "[0]", "[0:1:2:3]", "[::0]", "[-1:]", "[a:]", "[:, :]", "[]"}) {
    EXPECT_THAT(Slice(at::arange(3), slice), StatusIs(absl::StatusCode::kInvalidArgument, testing::HasSubstr("slice")))
        << slice;
  }
}

}  // namespace

}  // namespace modelport
