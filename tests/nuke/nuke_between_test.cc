// The image between two in artifacts for Nuke, with the second one in the channels for motion.
#include <ATen/core/Dict.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/isfinite.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <limits>
#include <string>

#include "artifact/request/artifact_request.h"
#include "common/status/status_matchers.h"
#include "gtest/gtest.h"
#include "models/built_in_plugins.h"
#include "registry/registry.h"
#include "targets/targets.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/exported_module.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

struct FrameSize {
  int64_t height, width;
};

class NukeBetweenTest : public testing::Test {
 protected:
  // The model's own image between the two in `images` [B, 6, H, W].
  at::Tensor Between(const at::Tensor& images, double timestep) const {
    const c10::IValue output =
        model_.plain.get_method("forward")({images.slice(1, 0, 3), images.slice(1, 3, 6), timestep});
    return output.toGenericDict().at("image").toTensor();
  }

  NukeModel model_ = GetNukeModel(NukeTestModels("NukeBetween").front());
};

TEST_F(NukeBetweenTest, IsTheModelsOwnAtAnySizeAndTime) {
  for (const auto [height, width] : {FrameSize{64, 64}, FrameSize{31, 45}, FrameSize{5, 9}, FrameSize{65, 130}}) {
    const at::Tensor images = SeededImage(2, 6, height, width);
    for (const double timestep : {0.0, 0.25, 0.5, 1.0}) {
      const at::Tensor image = model_.Run(images, {{"timestep", timestep}});
      EXPECT_EQ(image.sizes(), at::IntArrayRef({2, 3, height, width}));
      EXPECT_LE(RelativeDifference(Between(images, timestep), image), 1e-6) << height << " " << timestep;
    }
  }
}

TEST_F(NukeBetweenTest, TheTimeCountsAndIsHalfByDefault) {
  const at::Tensor images = SeededImage(1, 6, 64, 64);
  const at::Tensor half = model_.Run(images);
  EXPECT_LE(RelativeDifference(Between(images, 0.5), half), 1e-6);
  EXPECT_GT(RelativeDifference(half, model_.Run(images, {{"timestep", 0.1}})), 1e-4);
  EXPECT_TRUE(at::equal(model_.Run(images, {{"timestep", 1.0}}), model_.Run(images, {{"timestep", 7.0}})));
}

TEST_F(NukeBetweenTest, WhatIsNoColourBecomesOne) {
  at::Tensor images = SeededImage(1, 6, 64, 64);
  images.slice(1, 4, 5).fill_(std::numeric_limits<float>::quiet_NaN());
  images.slice(1, 0, 1).fill_(40);
  const at::Tensor image = model_.Run(images);
  EXPECT_TRUE(at::isfinite(image).all().item<bool>());
  images.slice(1, 4, 5).fill_(0);
  images.slice(1, 0, 1).fill_(1);
  EXPECT_TRUE(at::equal(model_.Run(images), image));
}

TEST_F(NukeBetweenTest, ChannelsMoreAreIgnoredAndFewerRefused) {
  const at::Tensor images = SeededImage(1, 7, 32, 32);
  EXPECT_TRUE(at::equal(model_.Run(images), model_.Run(images.slice(1, 0, 6).contiguous())));
  EXPECT_THROW(model_.Run(SeededImage(1, 4, 32, 32)), std::exception);
}

// shrink=2 is the model with twice the scales, as upstream's scale=0.5 makes it; detail=2 that with half of them, as
// its scale=2 makes it, so that it turns one with twice the scales into the model.
TEST_F(NukeBetweenTest, ShrinkAndDetailChangeTheScalesOfAllBlocks) {
  const std::string name = NukeTestModels("NukeBetween").front();
  ASSERT_OK_AND_ASSIGN(const Registry registry, Registry::Load(BuiltInPlugins(), {"models"}));
  ASSERT_OK_AND_ASSIGN(const Target* const nuke, FindTarget("nuke"));
  ASSERT_OK_AND_ASSIGN(torch::jit::Module coarse, ExportSeeded(registry, name, 0, [&](ExportOptions& options) {
                         options.request.target = nuke;
                         EXPECT_OK(SetArguments("scales=[32, 16, 8, 4, 2]", options.request));
                       }));
  const at::Tensor images = SeededImage(1, 6, 72, 100);
  const at::Tensor own = model_.Run(images), half = model_.Run(images, {{"shrink", 2}});
  EXPECT_LE(RelativeDifference(coarse.forward({images}).toTensor(), half), 1e-6);
  EXPECT_GT(RelativeDifference(own, half), 1e-4);
  coarse.setattr("detail", 2);
  EXPECT_LE(RelativeDifference(own, coarse.forward({images}).toTensor()), 1e-6);
  EXPECT_TRUE(at::equal(model_.Run(images, {{"detail", 2}}), own));
  EXPECT_GT(RelativeDifference(own, model_.Run(images, {{"shrink", 1}})), 1e-4);
}

TEST(NukeRetimeTest, IsTheImageTheMotionAndThePartOfTheSecond) {
  NukeModel model = GetNukeModel(NukeTestModels("NukeRetime").front());
  NukeModel flow = GetNukeModel(NukeTestModels("NukeFlow").front());
  const at::Tensor images = SeededImage(2, 6, 31, 45);
  const c10::IValue output = model.plain.get_method("forward")({images.slice(1, 0, 3), images.slice(1, 3, 6), 0.25});
  const at::Tensor retimed = model.Run(images, {{"timestep", 0.25}});
  ASSERT_EQ(retimed.sizes(), at::IntArrayRef({2, 8, 31, 45}));
  const auto own = [&](const char* name) { return output.toGenericDict().at(name).toTensor(); };
  EXPECT_LE(RelativeDifference(own("image").clamp(0, 1), retimed.slice(1, 0, 3)), 1e-6);
  EXPECT_LE(RelativeDifference(flow.Run(images, {{"timestep", 0.25}}), retimed.slice(1, 3, 7)), 1e-6);
  EXPECT_LE(RelativeDifference(own("mask").neg().add(1), retimed.slice(1, 7, 8)), 1e-6);
}

// Right and up into the second image, then into the first.
TEST(NukeFlowTest, IsTheModelsOwnRightAndUp) {
  NukeModel model = GetNukeModel(NukeTestModels("NukeFlow").front());
  for (const auto [height, width] : {FrameSize{64, 64}, FrameSize{31, 45}, FrameSize{5, 9}}) {
    const at::Tensor images = SeededImage(2, 6, height, width);
    for (const double timestep : {0.0, 0.5}) {
      const c10::IValue output =
          model.plain.get_method("forward")({images.slice(1, 0, 3), images.slice(1, 3, 6), timestep});
      const at::Tensor own = output.toGenericDict().at("flow").toTensor();
      const at::Tensor flow = model.Run(images, {{"timestep", timestep}});
      ASSERT_EQ(flow.sizes(), at::IntArrayRef({2, 4, height, width}));
      const at::Tensor expected =
          at::cat({own.slice(1, 2, 3), own.slice(1, 3, 4).neg(), own.slice(1, 0, 1), own.slice(1, 1, 2).neg()}, 1);
      EXPECT_LE(RelativeDifference(expected, flow), 1e-6) << height << " " << timestep;
    }
  }
}

// Right and up into the second image, of images that the model sees smaller.
TEST(NukeMotionTest, IsTheModelsOwnRightAndUp) {
  NukeModel model = GetNukeModel(NukeTestModels("NukeMotion").front());
  for (const auto [height, width] : {FrameSize{128, 136}, FrameSize{131, 265}, FrameSize{5, 9}}) {
    const at::Tensor images = SeededImage(2, 6, height, width);
    for (const int64_t shrink : {1, 3}) {
      const at::Tensor own =
          model.plain.get_method("motion")({images.slice(1, 0, 3), images.slice(1, 3, 6), shrink}).toTensor();
      const at::Tensor motion = model.Run(images, {{"shrink", shrink}});
      ASSERT_EQ(motion.sizes(), at::IntArrayRef({2, 2, height, width}));
      const at::Tensor expected = at::cat({own.slice(1, 0, 1), own.slice(1, 1, 2).neg()}, 1);
      EXPECT_LE(RelativeDifference(expected, motion), 1e-6) << height << " " << shrink;
    }
    const c10::IValue output = model.plain.get_method("forward")({images.slice(1, 0, 3), images.slice(1, 3, 6)});
    const at::Tensor flow = output.toGenericDict().at("flow").toTensor();
    EXPECT_LE(RelativeDifference(flow.slice(1, 0, 1), model.Run(images, {{"shrink", 1}}).slice(1, 0, 1)), 1e-6);
  }
}

}  // namespace
}  // namespace modelport
