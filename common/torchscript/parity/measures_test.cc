#include "common/torchscript/parity/measures.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>

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

}  // namespace
}  // namespace modelport
