// Artifacts for Nuke give the model's own output for images of any size, in every precision and by their knobs.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "common/torchscript/proof/compare_outputs.h"
#include "common/torchscript/proof/round_trip.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/nuke/nuke_model.h"
#include "tests/support/test_models.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::ValuesIn;

constexpr double kRounding = 1e-6;

struct Size {
  int64_t height, width;
};

class NukeImageTest : public testing::TestWithParam<std::string> {
 protected:
  // As a part of the range or, of a class map, of the largest element: a small image has one cell of 32 pixels, and so
  // one value. Models with a mask may give one depth everywhere, too.
  static double Error(const at::Tensor& expected, const at::Tensor& actual) {
    const bool may_be_constant = IsClassMap(GetParam()) || FindsCamera(GetParam());
    return may_be_constant ? PartOfLargest(expected, actual) : RelativeDifference(expected, actual);
  }

  // The same, but also as a part of the largest element where nearly one depth is everywhere, so that a float's last
  // digit is a large part of the range.
  static double Difference(const at::Tensor& expected, const at::Tensor& actual) {
    return HasNearestDepth(GetParam()) ? PartOfLargest(expected, actual) : Error(expected, actual);
  }

  NukeModel model_ = GetNukeModel(GetParam());
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NukeImageTest);
INSTANTIATE_TEST_SUITE_P(Models, NukeImageTest, testing::ValuesIn(NukeImageModels()),
                         [](const auto& info) { return info.param; });

TEST_P(NukeImageTest, MultiplesOfThePatchGiveTheModelsOwnOutput) {
  const int64_t patch = std::max<int64_t>(model_.multiple_of(), 14);
  for (const auto [rows, columns] : {Size{2, 2}, Size{1, 4}, Size{5, 3}}) {
    const int64_t height = rows * patch, width = columns * patch;
    const at::Tensor image = SeededImage(1, 3, height, width);
    EXPECT_LE(Error(model_.RunPlain(model_.Normalised(image)), model_.Run(image)), kRounding) << height;
  }
}

// The source of pixel `i` of a padded side: mirrored at the last of `size` pixels, without repeating it, or the last
// pixel if the padding is as large as the side.
int64_t PaddingSource(int64_t i, int64_t size, int64_t padded) {
  if (i < size) return i;
  return padded - size < size ? 2 * (size - 1) - i : size - 1;
}

at::Tensor PadSide(const at::Tensor& image, int64_t dim, int64_t multiple) {
  const int64_t size = image.size(dim), padded = (size + multiple - 1) / multiple * multiple;
  std::vector<int64_t> sources;
  for (int64_t i = 0; i < padded; ++i) sources.push_back(PaddingSource(i, size, padded));
  return image.index_select(dim, at::tensor(sources));
}

// The plain model's output for an image of any size.
at::Tensor PaddedAndCropped(const NukeModel& model, const at::Tensor& image) {
  const int64_t multiple = model.multiple_of();
  const at::Tensor output = model.RunPlain(PadSide(PadSide(model.Normalised(image), 2, multiple), 3, multiple));
  return output.slice(2, 0, image.size(2)).slice(3, 0, image.size(3));
}

TEST_P(NukeImageTest, OddSizesAreMirroredAndCroppedExactly) {
  for (const auto [height, width] : {Size{31, 45}, Size{27, 13}, Size{15, 29}, Size{8, 43}, Size{42, 41}}) {
    const at::Tensor image = SeededImage(1, 3, height, width);
    EXPECT_LE(Error(PaddedAndCropped(model_, image), model_.Run(image)), kRounding) << height;
  }
}

// Where both sides are multiples of 14, a side of 7 pixels lacks 7, too many to be mirrored; a side of 8 lacks 6.
TEST_P(NukeImageTest, ImagesTooSmallToBeMirroredRepeatTheirLastPixels) {
  for (const auto [height, width] : {Size{7, 8}, Size{8, 7}, Size{13, 1}, Size{1, 20}, Size{5, 9}}) {
    const at::Tensor image = SeededImage(1, 3, height, width);
    EXPECT_LE(Difference(PaddedAndCropped(model_, image), model_.Run(image)), kRounding) << height;
  }
  const at::Tensor pixel = SeededImage(1, 3, 1, 1);
  EXPECT_TRUE(at::allclose(model_.Run(pixel), PaddedAndCropped(model_, pixel), /*rtol=*/1e-5));
}

// Kernels sum a batch in another order than a single image.
TEST_P(NukeImageTest, ImagesOfABatchAreEachOnTheirOwn) {
  const at::Tensor images = SeededImage(3, 3, 31, 20);
  std::map<std::string, c10::IValue> knobs;
  // It would stretch the rounding of nearly one depth to the range of the output.
  if (model_.nuke.hasattr("normalize") && !HasNearestDepth(GetParam())) knobs["normalize"] = 1;
  const at::Tensor batch = model_.Run(images, knobs);
  for (int64_t i = 0; i < 3; ++i) {
    EXPECT_LE(Difference(model_.Run(images.slice(0, i, i + 1)), batch.slice(0, i, i + 1)), 1e-5) << i;
  }
}

// The mean over the area of each output. Rows and columns are repeated so that each output covers whole copies.
at::Tensor Shrunk(const at::Tensor& image, const Size& size) {
  const at::Tensor rows = image.repeat_interleave(size.height, 2)
                              .reshape({image.size(0), image.size(1), size.height, image.size(2), image.size(3)})
                              .mean(3);
  return rows.repeat_interleave(size.width, 3)
      .reshape({image.size(0), image.size(1), size.height, size.width, image.size(3)})
      .mean(4);
}

TEST_P(NukeImageTest, MaxSizeBoundsTheWorkingResolution) {
  const struct {
    Size image, working;
  } cases[] = {{{64, 90}, {40, 56}}, {{90, 64}, {56, 40}}, {{57, 3}, {56, 3}}, {{600, 1}, {56, 1}}};
  // A solve for a camera, and the direction of a short vector, magnify what float32 rounds.
  const at::ScalarType type = FindsCamera(GetParam()) ? at::kDouble : at::kFloat;
  model_.nuke.to(type);
  model_.plain.to(type);
  for (const auto& c : cases) {
    const at::Tensor image = SeededImage(1, 3, c.image.height, c.image.width).to(type);
    const at::Tensor small = Shrunk(image, c.working);
    const at::Tensor expected =
        at::upsample_bilinear2d(PaddedAndCropped(model_, small), {c.image.height, c.image.width}, false);
    at::Tensor output = model_.Run(image, {{"max_size", 56}});
    // Normals are brought to length 1 again.
    if (IsNormals(GetParam())) output = output * expected.norm(2, {1}, /*keepdim=*/true);
    EXPECT_LE(Difference(expected, output), 1e-5) << c.image.height;
  }
}

TEST_P(NukeImageTest, ASizeWithinTheBoundIsNotResized) {
  const at::Tensor image = SeededImage(1, 3, 56, 31);
  const at::Tensor expected = PaddedAndCropped(model_, image);
  for (const int64_t max_size : {56, 57, 100000, 0, -1}) {
    EXPECT_LE(Error(expected, model_.Run(image, {{"max_size", max_size}})), kRounding) << max_size;
  }
}

TEST_P(NukeImageTest, NanPixelsAreBlack) {
  at::Tensor black = SeededImage(1, 3, 28, 42), broken = black.clone();
  black.slice(2, 3, 5).zero_();
  broken.slice(2, 3, 5).fill_(std::numeric_limits<float>::quiet_NaN());
  EXPECT_TRUE(at::equal(model_.Run(black), model_.Run(broken)));
}

TEST_P(NukeImageTest, ABoundBelowAPatchWorks) {
  for (const int64_t max_size : {1, 5, 13}) {
    const at::Tensor output = model_.Run(SeededImage(1, 3, 31, 20), {{"max_size", max_size}});
    EXPECT_EQ(output.sizes().slice(2), at::IntArrayRef({31, 20}));
    EXPECT_TRUE(output.isfinite().all().item<bool>());
  }
}

TEST_P(NukeImageTest, TheFirstThreeChannelsAreUsedAndClampedToTheUnitRange) {
  const at::Tensor image = SeededImage(1, 3, 31, 20);
  const at::Tensor expected = model_.Run(image);
  EXPECT_TRUE(at::equal(expected, model_.Run(at::cat({image, at::full({1, 2, 31, 20}, 7.0)}, 1))));
  const at::Tensor wild = (image - 0.5) * 3;
  EXPECT_TRUE(at::equal(model_.Run(wild.clamp(0, 1)), model_.Run(wild)));
  EXPECT_THROW(model_.Run(image.slice(1, 0, 2)), std::exception);
  EXPECT_THROW(model_.Run(image[0]), std::exception);
}

TEST_P(NukeImageTest, TheInputIsNotChangedAndTheOutputIsContiguous) {
  const at::Tensor image = SeededImage(1, 4, 31, 20) * 2;
  const at::Tensor before = image.clone();
  const at::Tensor output = model_.Run(image);
  EXPECT_TRUE(at::equal(image, before));
  EXPECT_TRUE(output.is_contiguous());
}

// Artifacts for Nuke in half, bfloat16 and double precision.

// The error that half precision may have, as a part of the range.
constexpr double kHalfTolerance = 0.005;

class NukePrecisionTest : public testing::TestWithParam<std::string> {};

// The wrapper of normals brings them to length 1, which rounds.
std::vector<std::string> ModelsWithoutNormals() {
  std::vector<std::string> names = NukeImageModels();
  std::erase_if(names, IsNormals);
  return names;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NukePrecisionTest);
INSTANTIATE_TEST_SUITE_P(Models, NukePrecisionTest, ValuesIn(ModelsWithoutNormals()),
                         [](const auto& info) { return info.param; });

// Without padding and resizing, both artifacts run the same kernels on the same numbers.
TEST_P(NukePrecisionTest, IsTheModelsOwnToTheBit) {
  for (const at::ScalarType type : {at::kHalf, at::kBFloat16, at::kFloat, at::kDouble}) {
    NukeModel model = GetNukeModel(GetParam());
    model.nuke.to(type);
    model.plain.to(type);
    const at::Tensor image = SeededImage(1, 3, 3 * model.multiple_of(), 2 * model.multiple_of()).to(type);
    const at::Tensor output = model.Run(image);
    EXPECT_EQ(output.scalar_type(), type);
    EXPECT_TRUE(output.isfinite().all().item<bool>());
    EXPECT_TRUE(BitwiseEqual(model.RunPlain(model.Normalised(image)), output)) << type;
  }
}

// Whether `name` gives nearly one value everywhere.
bool IsNearlyFlat(const std::string& name) { return HasNearestDepth(name) || IsClassMap(name); }

// Those of whose output no threshold decides in one precision only.
std::vector<std::string> ModelsWithoutThresholds() {
  std::vector<std::string> names = NukeImageModels();
  std::erase_if(names,
                [](const std::string& name) { return FillsSky(name) || IsNearlyFlat(name) || FindsCamera(name); });
  return names;
}

TEST(NukeFlatTest, HalfIsNearFloat) {
  // What verify grants float16: 16 of its epsilon, of the largest element.
  constexpr double kTolerance = 16 * 0x1p-10;
  std::vector<std::string> names = NukeImageModels();
  std::erase_if(names, [](const std::string& name) { return !IsNearlyFlat(name); });
  if (names.empty()) GTEST_SKIP() << "the family has none";
  for (const std::string& name : names) {
    NukeModel wide = GetNukeModel(name), half = Half(wide);
    const at::Tensor image = SeededImage(1, 3, 31, 45);
    const at::Tensor expected = wide.Run(image), output = half.Run(image.to(at::kHalf));
    EXPECT_LE(PartOfLargest(expected, output), kTolerance) << name;
  }
}

class NukeHalfTest : public testing::TestWithParam<std::string> {};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NukeHalfTest);
INSTANTIATE_TEST_SUITE_P(Models, NukeHalfTest, ValuesIn(ModelsWithoutThresholds()),
                         [](const auto& info) { return info.param; });

TEST_P(NukeHalfTest, HalfIsNearFloat) {
  NukeModel wide = GetNukeModel(GetParam()), half = Half(wide);
  const at::Tensor image = SeededImage(1, 3, 31, 45);
  for (const int64_t max_size : {1008, 42}) {
    const at::Tensor expected = wide.Run(image, {{"max_size", max_size}});
    const at::Tensor output = half.Run(image.to(at::kHalf), {{"max_size", max_size}});
    EXPECT_LE(RelativeDifference(expected, output), kHalfTolerance) << max_size;
  }
}

// The knobs of artifacts for Nuke.

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

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NukeDepthTest);
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

TEST_P(NukeDepthTest, UnitAndScaleOfMetresAreKnobs) {
  if (!model_.nuke.hasattr("unit")) GTEST_SKIP() << "its depth is not in metres by itself";
  const at::Tensor metres = model_.Run(image_);
  const auto in_unit = [&](int64_t unit, double scale) {
    return model_.Run(image_, {{"unit", unit}, {"scale", scale}});
  };
  // A product is rounded by a part of itself, however little depths differ.
  constexpr double kRounding = 4 * 0x1p-24;
  EXPECT_LE(PartOfLargest(metres * 250, in_unit(1, 2.5)), kRounding);
  EXPECT_LE(PartOfLargest(metres / 0.0254, in_unit(2, 1.0)), kRounding);
  EXPECT_LE(PartOfLargest(metres / 0.3048, in_unit(3, 1.0)), kRounding);
  EXPECT_TRUE(at::equal(in_unit(9, 1.0), in_unit(3, 1.0)));
  EXPECT_TRUE(at::equal(in_unit(-2, 1.0), metres));
}

TEST_P(NukeDepthTest, KnobsAreSavedWithTheArtifact) {
  model_.nuke.setattr("convention", other_convention());
  const std::string path = testing::TempDir() + "/knobs.pt";
  model_.nuke.save(path);
  EXPECT_EQ(torch::jit::load(path).attr("convention").toInt(), other_convention());
}

TEST(NukeFeaturesTest, FirstChannelChoosesFourAndIsClamped) {
  if (NukeTestModels("NukeFeatures").empty()) GTEST_SKIP() << "the family has none";
  NukeModel model = GetNukeModel(NukeTestModels("NukeFeatures").front());
  const at::Tensor image = SeededImage(1, 3, 31, 45);
  const auto features = [&](int64_t first) { return model.Run(image, {{"first_channel", first}}); };
  EXPECT_EQ(features(0).size(1), 4);
  EXPECT_TRUE(at::equal(features(2).slice(1, 0, 2), features(0).slice(1, 2, 4)));
  const at::Tensor clamped = features(100000);
  int64_t last = 1;
  while (last < 10000 && !at::equal(features(last), clamped)) ++last;
  EXPECT_LT(last, 10000);
  EXPECT_TRUE(at::equal(features(last - 1).slice(1, 1, 4), clamped.slice(1, 0, 3)));
  EXPECT_TRUE(at::equal(features(0), features(-5)));
}

TEST(NukeClassMapTest, AKnobChoosesTheClassAndIsClamped) {
  if (NukeTestModels("NukeClassMap").empty()) GTEST_SKIP() << "the family has none";
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
  if (NukeTestModels("NukeClassMap").empty()) GTEST_SKIP() << "the family has none";
  const NukeModel model = GetNukeModel(NukeTestModels("NukeClassMap").front());
  const at::Tensor image = model.Normalised(SeededImage(2, 3, 64, 96));
  const at::Tensor logits = model.plain.get_method("forward")({image}).toTensor();
  const at::Tensor places = model.plain.get_method("image_classes")({image}).toTensor();
  EXPECT_EQ(places.sizes(), at::IntArrayRef({2, 10, 2, 3}));
  EXPECT_LE(RelativeDifference(logits, places.mean({2, 3})), 1e-6);
}

// The code of artifacts for Nuke.

class NukeModelTest : public testing::TestWithParam<std::string> {
 protected:
  const NukeModel model_ = GetNukeModel(GetParam());
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NukeModelTest);
INSTANTIATE_TEST_SUITE_P(Models, NukeModelTest, testing::ValuesIn(NukeTestModels()),
                         [](const auto& info) { return info.param; });

TEST_P(NukeModelTest, ForwardIsTheOnlyEntryPoint) {
  EXPECT_THAT(MethodSchemas(model_.nuke), ElementsAre("forward(Tensor x) -> Tensor"));
}

// Float64 is dtype 7 in TorchScript's code.
TEST_P(NukeModelTest, NoDeviceAndNoFloat64IsLiteral) {
  const std::string code = SavedCode(model_.nuke);
  for (const char* literal : {"torch.device(", "\"cuda", "\"cpu", "float64", "dtype=7", ".double("}) {
    EXPECT_FALSE(absl::StrContains(code, literal)) << literal;
  }
  EXPECT_FALSE(std::regex_search(code, std::regex(R"(torch\.to\([^,]*, 7)")));
}

TEST_P(NukeModelTest, KnobsAreNumbers) {
  int knobs = 0;
  for (const auto& attribute : model_.nuke.named_attributes(/*recurse=*/false)) {
    // Every module has `training`, which no host offers as a knob.
    if (attribute.value.isModule() || attribute.name == "training") continue;
    EXPECT_TRUE(attribute.value.isInt() || attribute.value.isDouble()) << attribute.name;
    ++knobs;
  }
  EXPECT_GE(knobs, 1);
}

}  // namespace
}  // namespace modelport
