#include "common/operation/resample.h"

#include <ATen/ops/_upsample_bicubic2d_aa.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/upsample_bicubic2d.h>

#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

// What torch makes of the same grid, in the dtype `type`.
at::Tensor TorchResample(std::vector<double>& grid, const Resampling& rows, const Resampling& columns, int64_t channels,
                         at::ScalarType type) {
  const at::Tensor input = at::from_blob(grid.data(), {1, rows.from, columns.from, channels}, at::kDouble)
                               .permute({0, 3, 1, 2})
                               .to(type)
                               .contiguous();
  const at::Tensor output = rows.antialias ? at::_upsample_bicubic2d_aa(input, {rows.to, columns.to}, false)
                                           : at::upsample_bicubic2d(input, {rows.to, columns.to}, false);
  return output.permute({0, 2, 3, 1}).contiguous().reshape({-1}).to(at::kDouble);
}

class ResampleTest : public testing::TestWithParam<bool> {};

TEST_P(ResampleTest, IsWhatTorchComputes) {
  std::mt19937 random(1);
  const auto draw = [&](int64_t low) { return std::uniform_int_distribution<int64_t>(low, 40)(random); };
  for (int round = 0; round < 100; ++round) {
    const Resampling rows = {draw(1), draw(1), GetParam()};
    // Where one column is left, LibTorch 2.13 computes something else than for one row of the transposed grid.
    const Resampling columns = {draw(1), draw(2), GetParam()};
    const int64_t channels = 1 + round % 3;
    std::vector<double> grid(rows.from * columns.from * channels);
    for (double& element : grid) element = std::uniform_real_distribution<double>(-1, 1)(random);
    const std::vector<double> resampled = Resample(grid, rows, columns, channels);
    SCOPED_TRACE(testing::Message() << rows.from << "x" << columns.from << " to " << rows.to << "x" << columns.to);
    const at::Tensor ours = at::tensor(resampled, at::kDouble);
    const auto difference = [&](at::ScalarType type) {
      return at::sub(ours, TorchResample(grid, rows, columns, channels, type)).abs().max().item().toDouble();
    };
    // Sums of 40 x 40 products of float64 and of float32 numbers up to 1 at most.
    EXPECT_LT(difference(at::kDouble), 1e-13);
    EXPECT_LT(difference(at::kFloat), 1e-5);
  }
}

TEST_P(ResampleTest, OneColumnIsResampledAsOneRowIs) {
  const std::vector<double> grid = {1, 2, 3, 5, 8, 13}, transposed = {1, 5, 2, 8, 3, 13};
  EXPECT_THAT(Resample(grid, {2, 3, GetParam()}, {3, 1, GetParam()}, 1),
              Pointwise(DoubleNear(1e-14), Resample(transposed, {3, 1, GetParam()}, {2, 3, GetParam()}, 1)));
}

TEST_P(ResampleTest, KeepsAGridOfTheSameSize) {
  std::vector<double> grid(7 * 5 * 2);
  for (size_t i = 0; i < grid.size(); ++i) grid[i] = 1.0 / (i + 1);
  EXPECT_EQ(Resample(grid, {7, 7, GetParam()}, {5, 5, GetParam()}, 2), grid);
}

INSTANTIATE_TEST_SUITE_P(Both, ResampleTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Antialiased" : "Bicubic"; });

TEST(ResampleTest, ChannelsAreResampledByThemselves) {
  EXPECT_THAT(Resample({1, 10, 1, 10}, {1, 3, false}, {2, 1, false}, 2),
              Pointwise(DoubleNear(1e-14), {1, 10, 1, 10, 1, 10}));
}

}  // namespace
}  // namespace modelport
