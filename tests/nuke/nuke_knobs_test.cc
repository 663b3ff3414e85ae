// The knobs of artifacts for Nuke.
#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/serialization/import.h>

#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using testing::ValuesIn;

class NukeDepthTest : public testing::TestWithParam<std::string> {
 protected:
  bool larger_is_nearer() const { return FindDepth(GetParam())->larger_is == "nearer"; }
  int64_t own_convention() const { return larger_is_nearer() ? 1 : 2; }
  int64_t other_convention() const { return larger_is_nearer() ? 2 : 1; }

  // The image's depth for these knobs.
  at::Tensor Depth(int64_t convention, int64_t normalize) {
    return model_.Run(image_, {{"convention", convention}, {"normalize", normalize}});
  }

  NukeModel model_ = GetNukeModel(GetParam());
  const at::Tensor image_ = SeededImage(1, 3, 31, 45);
};

INSTANTIATE_TEST_SUITE_P(Models, NukeDepthTest, ValuesIn(NukeTestModels("NukeDepth")),
                         [](const auto& info) { return info.param; });

TEST_P(NukeDepthTest, ConventionTurnsDepthIntoItsReciprocal) {
  const at::Tensor depth = model_.Run(image_);
  EXPECT_TRUE(at::equal(depth, Depth(own_convention(), 0)));
  EXPECT_TRUE(at::allclose(Depth(other_convention(), 0), 1 / depth.clamp_min(1e-4), /*rtol=*/1e-6));
}

TEST_P(NukeDepthTest, NormalizeStretchesToTheUnitRange) {
  const at::Tensor depth = model_.Run(image_);
  const at::Tensor unit = (depth - depth.min()) / (depth.max() - depth.min());
  EXPECT_TRUE(at::allclose(Depth(own_convention(), 1), unit, /*rtol=*/0, /*atol=*/1e-6));
  EXPECT_TRUE(at::allclose(Depth(other_convention(), 1), 1 - unit, /*rtol=*/0, /*atol=*/1e-6));
  EXPECT_EQ(Depth(0, 1).min().item<float>(), 0);
  EXPECT_EQ(Depth(0, 1).max().item<float>(), 1);
}

TEST_P(NukeDepthTest, ValuesOutOfRangeActLikeTheNearestInIt) {
  EXPECT_TRUE(at::equal(Depth(-3, 0), Depth(0, 0)));
  EXPECT_TRUE(at::equal(Depth(99, 0), Depth(2, 0)));
  EXPECT_TRUE(at::equal(Depth(0, -1), Depth(0, 0)));
  EXPECT_TRUE(at::equal(Depth(0, 5), Depth(0, 1)));
}

TEST_P(NukeDepthTest, KnobsAreSavedWithTheArtifact) {
  model_.nuke.setattr("convention", other_convention());
  const std::string path = testing::TempDir() + "/knobs.pt";
  model_.nuke.save(path);
  EXPECT_EQ(torch::jit::load(path).attr("convention").toInt(), other_convention());
}

TEST(NukeFeaturesTest, FirstChannelChoosesFourAndIsClamped) {
  NukeModel model = GetNukeModel(NukeTestModels("NukeFeatures").front());
  const at::Tensor image = SeededImage(1, 3, 31, 45);
  const auto features = [&](int64_t first) { return model.Run(image, {{"first_channel", first}}); };
  EXPECT_EQ(features(0).size(1), 4);
  EXPECT_TRUE(at::equal(features(2).slice(1, 0, 2), features(0).slice(1, 2, 4)));
  EXPECT_FALSE(at::equal(features(20), features(19)));
  EXPECT_TRUE(at::equal(features(20), features(1000)));
  EXPECT_TRUE(at::equal(features(0), features(-5)));
}

TEST(NukeClassMapTest, AKnobChoosesTheClassAndIsClamped) {
  NukeModel model = GetNukeModel(NukeTestModels("NukeClassMap").front());
  const at::Tensor image = SeededImage(1, 3, 64, 96);
  const auto scores = [&](int64_t index, int64_t probability) {
    return model.Run(image, {{"class_index", index}, {"probability", probability}});
  };
  at::Tensor sum = at::zeros({1, 1, 64, 96});
  for (int64_t index = 0; index < 10; ++index) sum += scores(index, 1);
  EXPECT_TRUE(at::allclose(sum, at::ones_like(sum), /*rtol=*/0, /*atol=*/1e-5)) << "probabilities of all classes";
  EXPECT_FALSE(at::equal(scores(9, 1), scores(8, 1)));
  EXPECT_TRUE(at::equal(scores(9, 1), scores(1000, 1)));
  EXPECT_TRUE(at::equal(scores(0, 1), scores(-5, 1)));
  EXPECT_TRUE(at::equal(scores(3, 0), scores(3, -1)));
}

// What docs/nuke.md says of the knob `probability`.
TEST(NukeClassMapTest, TheMeanOfTheLogitsIsThatOfTheClassifier) {
  const NukeModel model = GetNukeModel(NukeTestModels("NukeClassMap").front());
  const at::Tensor image = model.Normalised(SeededImage(2, 3, 64, 96));
  const at::Tensor logits = model.plain.get_method("forward")({image}).toTensor();
  const at::Tensor places = model.plain.get_method("image_classes")({image}).toTensor();
  EXPECT_EQ(places.sizes(), at::IntArrayRef({2, 10, 2, 3}));
  EXPECT_LE(RelativeDifference(logits, places.mean({2, 3})), 1e-6);
}

}  // namespace
}  // namespace modelport
