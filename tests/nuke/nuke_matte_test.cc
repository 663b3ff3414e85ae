// A matte in artifacts for Nuke, with its trimap in alpha.
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <limits>
#include <string>

#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/exported_module.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

constexpr double kMatteRounding = 1e-6;

struct MatteSize {
  int64_t height, width;
};

torch::jit::Module Export(const std::string& name, const std::string& target) {
  const absl::StatusOr<Registry> registry = Registry::Load(BuiltInPlugins(), {"models"});
  EXPECT_THAT(registry, IsOk());
  absl::StatusOr<torch::jit::Module> module = ExportSeeded(*registry, name, /*seed=*/0, target);
  EXPECT_THAT(module, IsOk());
  return *std::move(module);
}

NukeModel ExportPair(const std::string& name) { return {name, Export(name, "nuke"), Export(name, "libtorch")}; }

class NukeMatteTest : public testing::Test {
 protected:
  // The model's own matte. The alpha of `image` is a trimap of 0, 0.5 and 1.
  at::Tensor Matte(const at::Tensor& image) const {
    return model_.plain.get_method("forward")({image.slice(1, 0, 3), image.slice(1, 3, 4)}).toTensor();
  }

  // A seeded image whose alpha is 0 at the left, 1 at the right and 0.5 between.
  static at::Tensor ImageWithTrimap(int64_t batch, int64_t height, int64_t width) {
    const at::Tensor image = SeededImage(batch, 4, height, width);
    at::Tensor alpha = image.slice(1, 3, 4);
    alpha.fill_(0.5);
    alpha.slice(3, 0, width / 3).zero_();
    alpha.slice(3, width - width / 3).fill_(1);
    return image;
  }

  // The matte of an image whose alpha is the same everywhere.
  at::Tensor MatteOfAlpha(float alpha) {
    const at::Tensor image = SeededImage(1, 4, 32, 32);
    image.slice(1, 3, 4).fill_(alpha);
    return model_.Run(image);
  }

  NukeModel model_ = ExportPair(NukeTestModels("NukeMatte").front());
};

TEST_F(NukeMatteTest, IsTheModelsOwnAtAnySize) {
  for (const auto [height, width] :
       {MatteSize{64, 64}, MatteSize{31, 45}, MatteSize{50, 75}, MatteSize{5, 9}, MatteSize{32, 96}}) {
    const at::Tensor image = ImageWithTrimap(2, height, width);
    const at::Tensor matte = model_.Run(image);
    EXPECT_EQ(matte.sizes(), at::IntArrayRef({2, 1, height, width}));
    EXPECT_LE(RelativeDifference(Matte(image), matte), kMatteRounding) << height;
  }
}

TEST_F(NukeMatteTest, AlphaBetweenIsUnknownAndNoNumberIsBackground) {
  const at::Tensor background = MatteOfAlpha(0), unknown = MatteOfAlpha(0.5), foreground = MatteOfAlpha(1);
  EXPECT_FALSE(at::equal(background, unknown));
  EXPECT_FALSE(at::equal(foreground, unknown));
  for (const float alpha : {0.02f, 0.3f, 0.98f}) EXPECT_TRUE(at::equal(MatteOfAlpha(alpha), unknown)) << alpha;
  for (const float alpha : {0.005f, -3.0f, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_TRUE(at::equal(MatteOfAlpha(alpha), background)) << alpha;
  }
  for (const float alpha : {0.995f, 7.0f}) EXPECT_TRUE(at::equal(MatteOfAlpha(alpha), foreground)) << alpha;
}

// The mean of four pixels; where these are not all background or all foreground, the trimap is unknown.
TEST_F(NukeMatteTest, MaxSizeBoundsTheWorkingResolution) {
  const at::Tensor image = ImageWithTrimap(1, 64, 90);
  at::Tensor small = at::avg_pool2d(image, 2);
  at::Tensor alpha = small.slice(1, 3, 4);
  alpha.masked_fill_(alpha.gt(0).logical_and(alpha.lt(1)), 0.5);
  const at::Tensor expected = at::upsample_bilinear2d(Matte(small), {64, 90}, /*align_corners=*/false);
  EXPECT_LE(RelativeDifference(expected, model_.Run(image, {{"max_size", 45}})), 1e-5);
}

// What is no number is background there, too, and spreads to no other pixel.
TEST_F(NukeMatteTest, OnePixelThatIsNoNumberLeavesTheOthers) {
  at::Tensor image = ImageWithTrimap(1, 64, 90);
  at::Tensor pixel = image.select(1, 3).select(1, 5).select(1, 7);
  pixel.fill_(0);
  const at::Tensor expected = model_.Run(image, {{"max_size", 45}});
  pixel.fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(at::equal(model_.Run(image, {{"max_size", 45}}), expected));
}

// A shape in alpha, which leaves nothing unknown, becomes a trimap that does, in squares around its edges.
TEST_F(NukeMatteTest, EdgesOfAShapeBecomeUnknown) {
  const at::Tensor image = SeededImage(1, 4, 60, 70);
  at::Tensor alpha = image.slice(1, 3, 4);
  const auto fill = [&](int64_t margin, float value) {
    alpha.slice(2, 20 - margin, 40 + margin).slice(3, 25 - margin, 50 + margin).fill_(value);
  };
  const auto trimap = [&] {
    alpha.zero_();
    fill(5, 0.5);
    fill(-3, 1);
    return alpha.clone();
  };
  const auto run = [&](int64_t inside, int64_t outside, int64_t show = 0) {
    return model_.Run(image, {{"edge_inside", inside}, {"edge_outside", outside}, {"show_trimap", show}});
  };
  const at::Tensor expected = trimap(), matte = run(0, 0);
  alpha.zero_();
  fill(0, 1);
  alpha[0][0][0][0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(at::equal(run(3, 5), matte));
  EXPECT_FALSE(at::equal(run(0, 0), matte));
  EXPECT_TRUE(at::equal(run(3, 5, /*show=*/1), expected));
  EXPECT_TRUE(at::equal(run(-3, 5, /*show=*/1), run(0, 5, /*show=*/1)));
  EXPECT_TRUE(at::equal(run(3, -5, /*show=*/1), run(3, 0, /*show=*/1)));
  // A shape has no edge at the border of the image, and what is soft is unknown at any rate.
  trimap();
  alpha.slice(3, 0, 10).fill_(1);
  EXPECT_TRUE(at::equal(run(1, 0, /*show=*/1).slice(3, 0, 9).min(), at::ones({})));
  EXPECT_TRUE(at::equal(run(0, 200, /*show=*/1).min(), at::full({}, 0.5)));
}

TEST_F(NukeMatteTest, AnImageWithoutAlphaIsRefused) {
  EXPECT_THROW(model_.Run(SeededImage(1, 3, 32, 32)), std::exception);
}

}  // namespace
}  // namespace modelport
