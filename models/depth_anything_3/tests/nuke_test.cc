// Artifacts of Depth Anything 3 for Nuke: the sky in half precision, metres, and what their code leaves out.
#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/quantile.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/where.h>
#include <c10/core/InferenceMode.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/parity/observe.h"
#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"

namespace modelport {
namespace {

// The error that half precision may have, as a part of the range.
constexpr double kHalfTolerance = 0.005;

// A pixel at the threshold may be sky in one precision only, and sky has another depth. So depth in half precision is
// compared with depth in float32 that has the sky of half precision.
struct SkyModel {
  std::string name;
  std::string metric;  // The submodule that predicts the sky.
  double farthest;     // Upper bound of the sky's depth.
  std::vector<int64_t> max_sizes;
};

// A run's results in double precision: tensors [1, 1, h, w] at the working resolution, and its output.
struct SkyRun {
  at::Tensor depth;  // Before the sky is filled.
  at::Tensor sky;
  at::Tensor output;
};

SkyRun RunWithSky(const NukeModel& model, const SkyModel& with_sky, const at::Tensor& image) {
  const c10::InferenceMode inference;
  const auto captured = CaptureTensors(model.nuke, "forward", {image}, [](const ObservedTensor& point) {
    return point.is_result || point.stage.side == Stage::Side::kOutput;
  });
  EXPECT_THAT(captured, IsOk());
  const auto find = [&](const std::string& name) {
    const at::Tensor* const tensor = FindTensor(*captured, name);
    EXPECT_NE(tensor, nullptr) << name;
    return tensor->to(at::kDouble);
  };
  const std::string head = with_sky.metric + ".process_depth_head() -> ";
  SkyRun run{find(head + "depth"), find(head + "sky"), find("output")};
  if (with_sky.name == "tiny_nested") {
    run.depth = find("model.da3.image_outputs() -> depth") * find("model.least_squares_scale()");
  }
  return run;
}

// Gives the sky the 99th percentile of the depth that is not sky.
at::Tensor FillSky(const at::Tensor& depth, const at::Tensor& is_sky, double farthest) {
  const at::Tensor far = at::quantile(depth.masked_select(is_sky.logical_not()), 0.99).clamp_max(farthest);
  return at::where(is_sky, far, depth);
}

class NukeSkyTest : public testing::TestWithParam<SkyModel> {};

// Seeded weights bring the nested model's depth to 126 km at 42 pixels, which half precision cannot hold.
INSTANTIATE_TEST_SUITE_P(
    Models, NukeSkyTest,
    testing::Values(SkyModel{"tiny_mono", "model", std::numeric_limits<double>::infinity(), {1008, 42}},
                    SkyModel{"tiny_metric", "model", std::numeric_limits<double>::infinity(), {1008, 42}},
                    SkyModel{"tiny_nested", "model.da3_metric", 200, {1008}}),
    [](const auto& info) { return info.param.name; });

TEST_P(NukeSkyTest, HalfIsNearFloatWithTheSameSky) {
  const at::Tensor image = SeededImage(1, 3, 31, 45);
  for (const int64_t max_size : GetParam().max_sizes) {
    SCOPED_TRACE(max_size);
    NukeModel wide = GetNukeModel(GetParam().name);
    wide.nuke.setattr("max_size", max_size);
    const SkyRun expected = RunWithSky(wide, GetParam(), image),
                 half = RunWithSky(Half(wide), GetParam(), image.to(at::kHalf));
    // Some 90 operators follow each other, and each may be off by half of half's eps.
    EXPECT_LE(RelativeDifference(expected.sky, half.sky), 90 * 0x1p-11);
    EXPECT_LE(RelativeDifference(expected.depth, half.depth), kHalfTolerance);
    const at::Tensor is_sky = half.sky.ge(0.3);
    ASSERT_GT(is_sky.sum().item<int64_t>(), 10) << "nothing is filled";
    const at::Tensor filled = FillSky(expected.depth, is_sky, GetParam().farthest);
    const at::Tensor restored = max_size == 42
                                    ? at::upsample_bilinear2d(filled.slice(2, 0, 29), {31, 45}, /*align_corners=*/false)
                                    : filled.slice(2, 0, 31).slice(3, 0, 45);
    EXPECT_LE(RelativeDifference(restored, half.output), kHalfTolerance);
  }
}

// Only tiny_metric uses the focal length, which scales with the working resolution.
TEST(NukeMetricTest, FocalBringsDepthToMetres) {
  NukeModel model = GetNukeModel("tiny_metric");
  const at::Tensor image = SeededImage(1, 3, 56, 112);
  const at::Tensor raw = model.Run(image);
  EXPECT_TRUE(at::allclose(model.Run(image, {{"focal", 1500.0}}), raw * 5, /*rtol=*/1e-6));
  EXPECT_TRUE(at::equal(model.Run(image, {{"focal", -1.0}}), raw));
  const at::Tensor half_size = model.Run(image, {{"focal", 0.0}, {"max_size", 56}});
  EXPECT_TRUE(at::allclose(model.Run(image, {{"focal", 1500.0}}), half_size * 2.5, /*rtol=*/1e-6));
  EXPECT_FALSE(GetNukeModel("tiny_mono").nuke.hasattr("focal"));
}

TEST(NukeArchiveTest, CodeThatForwardDoesNotReachIsGone) {
  const NukeModel model = GetNukeModel("tiny_any");
  const std::string plain = SavedCode(model.plain), nuke = SavedCode(model.nuke);
  for (const char* name : {"linalg_", "homograph", "harmonics"}) {
    EXPECT_TRUE(absl::StrContains(plain, name)) << name;
    EXPECT_FALSE(absl::StrContains(nuke, name)) << name;
  }
}

}  // namespace
}  // namespace modelport
