#include "tools/predict/predict_images.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/jit/api/module.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/io/output_file.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/image/colour_map.h"
#include "tools/image/read_image.h"
#include "tools/image/testing/read_exr.h"
#include "tools/image/testing/sample_images.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// An artifact whose method `labels` returns `result`.
LoadedArtifact WithLabels(const std::string& result) {
  LoadedArtifact artifact = {.path = "model.pt", .module = std::make_shared<torch::jit::Module>("model")};
  artifact.module->define("def labels(self):\n  return " + result + "\n");
  return artifact;
}

void ExpectRefused(const std::string& result, const std::string& message) {
  EXPECT_THAT(
      BestLabels(WithLabels(result), at::tensor({1.0f, 2.0f})),
      StatusIs(absl::StatusCode::kFailedPrecondition, AllOf(HasSubstr("model.pt: labels()"), HasSubstr(message))));
}

TEST(BestLabels, AreTheHighestFiveWithTheirNames) {
  ASSERT_OK_AND_ASSIGN(const std::vector<Label> labels,
                       BestLabels(WithLabels(R"(["a", "b", "c", "d", "e", "f"])"), at::arange(6, at::kFloat)));
  ASSERT_EQ(labels.size(), 5);
  EXPECT_EQ(labels[0].index, 5);
  EXPECT_EQ(labels[0].name, "f");
  EXPECT_NEAR(labels[0].probability, 0.6337, 1e-4);
  EXPECT_EQ(labels[4].name, "b");
}

TEST(BestLabels, NeedNoNames) {
  const LoadedArtifact artifact = {.path = "model.pt", .module = std::make_shared<torch::jit::Module>("model")};
  ASSERT_OK_AND_ASSIGN(const std::vector<Label> labels, BestLabels(artifact, at::tensor({1.0f, 2.0f})));
  ASSERT_EQ(labels.size(), 2);
  EXPECT_EQ(labels[0].name, "");
}

TEST(BestLabels, RefusesNamesThatFitNoClass) {
  ExpectRefused(R"(["a"])", "wants a name for each of 2 classes, gives 1");
  ExpectRefused("[1, 2]", "wants to give List[str], gives List[int]");
  ExpectRefused(R"("a, b")", "wants to give List[str], gives str");
}

constexpr char kNumbers[] = "16-bit numbers, not a picture: --colours draws one";

LoadedArtifact ArtifactOf(const std::string& unit) {
  LoadedArtifact artifact = {.path = "toy.pt", .module = std::make_shared<torch::jit::Module>("toy")};
  artifact.manifest.mutable_request()->set_model("toy");
  Manifest::EntryPoint& forward = *artifact.manifest.add_entry_points();
  forward.set_method("forward");
  Manifest::Result& depth = *forward.add_outputs();
  depth.set_unit(unit);
  depth.set_larger_is("farther");
  return artifact;
}

Prediction DepthOf(const std::vector<float>& values) {
  return {.depth = at::tensor(values).reshape({1, static_cast<int64_t>(values.size())})};
}

TEST(NotesOn, DepthBeyondThe16BitsOfMetresIsSaid) {
  const LoadedArtifact metric = ArtifactOf("metres");
  EXPECT_THAT(
      NotesOn("d.png", DepthOf({872, 10, 900, 1000}), metric, {}),
      ElementsAre(kNumbers,
                  "depth outside 0 to 255.996 m is written as these, on more than 10 % of the pixels; --range=MIN,MAX "
                  "takes another scale, and .exr holds it"));
  EXPECT_THAT(NotesOn("d.exr", DepthOf({872}), metric, {}), IsEmpty());
  EXPECT_THAT(NotesOn("d.png", DepthOf({872}), metric, {.range = ValueRange{0, 1000}}), ElementsAre(kNumbers));
  EXPECT_THAT(
      NotesOn("d.png", DepthOf({872, -1}), metric, {.range = ValueRange{0, 500}}),
      ElementsAre(kNumbers,
                  HasSubstr("outside 0 to 500 m is written as these, on more than 10 % of the pixels; .exr holds")));
}

TEST(NotesOn, OnlyNumbersAreNoPicture) {
  const LoadedArtifact metric = ArtifactOf("metres");
  EXPECT_THAT(NotesOn("d.PNG", DepthOf({10, 20}), metric, {}), ElementsAre(kNumbers));
  EXPECT_THAT(NotesOn("d.png", DepthOf({1, 2}), ArtifactOf(""), {}), ElementsAre(kNumbers));
  EXPECT_THAT(NotesOn("d.png", DepthOf({1, 2}), metric, {.colours = DepthColours{*FindColourMap("grey")}}), IsEmpty());
  EXPECT_THAT(NotesOn("d.png", DepthOf({1, 2}), metric, {.normals = true}), IsEmpty());
  const Prediction matte = {.alpha = at::tensor(std::vector<float>{1}).reshape({1, 1})};
  EXPECT_THAT(NotesOn("m.png", matte, metric, {}), IsEmpty());
}

TEST(NotesOn, ScalesOfSeveralFilesAreSaid) {
  const LoadedArtifact relative = ArtifactOf("");
  OutputStyle several = {.is_one_of_several = true};
  EXPECT_THAT(NotesOn("d.png", DepthOf({1, 2}), relative, several),
              ElementsAre(kNumbers, HasSubstr("--range=MIN,MAX gives all")));
  several.colours = DepthColours{*FindColourMap("grey")};
  EXPECT_THAT(NotesOn("d.png", DepthOf({1, 2}), ArtifactOf("metres"), several), ElementsAre(HasSubstr("its own")));
  several.range = ValueRange{0, 3};
  EXPECT_THAT(NotesOn("d.png", DepthOf({1, 2}), relative, several), IsEmpty());
}

TEST(NotesOn, ScalesOfSeveralMotionsAreSaid) {
  const Prediction motion = {.flow = at::ones({4, 1, 2})};
  OutputStyle several = {.flow = true, .is_one_of_several = true};
  EXPECT_THAT(NotesOn("f.png", motion, ArtifactOf(""), several),
              ElementsAre(StartsWith("each file has its own longest motion in full colour; --range=0,MAX")));
  EXPECT_THAT(NotesOn("f.exr", motion, ArtifactOf(""), several), IsEmpty());
  several.range = ValueRange{0, 3};
  EXPECT_THAT(NotesOn("f.png", motion, ArtifactOf(""), several), IsEmpty());
}

TEST(EncodePrediction, ARangeIsOfDepth) {
  const Prediction matte = {.alpha = at::tensor(std::vector<float>{1}).reshape({1, 1})};
  EXPECT_THAT(EncodePrediction("m.png", {}, matte, ArtifactOf(""), {.range = ValueRange{0, 1}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("toy gives no depth; leave out --range")));
}

TEST(EncodePrediction, ColoursAndNormalsAreOfDepth) {
  const Prediction matte = {.alpha = at::tensor(std::vector<float>{1}).reshape({1, 1})};
  for (const OutputStyle& style :
       {OutputStyle{.colours = DepthColours{*FindColourMap("grey")}}, OutputStyle{.normals = true}}) {
    EXPECT_THAT(EncodePrediction("m.png", {}, matte, ArtifactOf(""), style),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("toy gives no depth; leave out --colours, --side_by_side and --normals")));
  }
}

// Red, green and blue of two pixels.
Prediction ColourOf(const std::vector<float>& values) { return {.colour = at::tensor(values).reshape({3, 1, 2})}; }

TEST(EncodePrediction, AnImageIsBytesOrLinearFloats) {
  const Prediction larger = ColourOf({0, 1, 0.5, 0.25, 1, 0});
  const std::string folder = testing::TempDir();
  for (const std::string name : {"l.png", "l.exr"}) {
    ASSERT_OK_AND_ASSIGN(const std::string bytes, EncodePrediction(name, {}, larger, ArtifactOf(""), {}));
    ASSERT_OK(OutputFile::WriteWhole(folder + "/" + name, bytes));
  }
  ASSERT_OK_AND_ASSIGN(const ReadImageResult read, ReadImage(folder + "/l.png", 100));
  EXPECT_EQ(read.image.width, 2);
  EXPECT_EQ(read.image.height, 1);
  EXPECT_THAT(std::get<std::vector<uint8_t>>(read.image.pixels), ElementsAre(0, 128, 255, 255, 64, 0));
  ExrContent content = ReadExr(folder + "/l.exr");
  EXPECT_THAT(content.channels["R"], ElementsAre(0, 1));
  EXPECT_THAT(content.channels["G"], ElementsAre(testing::FloatEq(0.21404114f), testing::FloatEq(0.05087609f)));
  EXPECT_THAT(content.channels["B"], ElementsAre(1, 0));
  EXPECT_THAT(EncodePrediction("l.png", {}, ColourOf({0, 1, NAN, 0, 0, 0}), ArtifactOf(""), {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not finite everywhere")));
}

TEST(EncodeComparison, DrawsEachKindButScores) {
  Image image = {.width = 200, .height = 2};
  const at::Tensor plane = at::zeros({2, 200}), planes = at::zeros({3, 2, 200});
  const LoadedArtifact artifact = ArtifactOf("");
  for (const Prediction& prediction :
       {Prediction{.alpha = plane}, Prediction{.colour = planes}, Prediction{.node_normals = planes},
        Prediction{.flow = planes.slice(0, 0, 2).contiguous()}, Prediction{.features = at::rand({4, 1, 3})}}) {
    ASSERT_OK_AND_ASSIGN(const std::string bytes,
                         EncodeComparison("c.png", image, prediction, prediction, artifact, {}));
    const std::string path = testing::TempDir() + "/c.png";
    ASSERT_OK(OutputFile::WriteWhole(path, bytes));
    ASSERT_OK_AND_ASSIGN(const ReadImageResult read, ReadImage(path, 1000000));
    EXPECT_EQ(read.image.width, 600);
  }
  const Prediction scores = {.scores = at::zeros({3})}, hole = {.alpha = at::full({2, 200}, NAN)};
  EXPECT_THAT(EncodeComparison("c.png", image, scores, scores, artifact, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("scores of classes, which are printed")));
  EXPECT_THAT(EncodeComparison("c.exr", image, hole, hole, artifact, {}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a comparison is drawn as .png")));
  EXPECT_THAT(EncodeComparison("c.png", image, hole, hole, artifact, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("not finite everywhere")));
}

// Frames between two images share both, and those of the next pair one. A file that is gone cannot be read again.
TEST(ReadJob, ReadsNoImageOfTheJobBeforeAgain) {
  const std::string folder = testing::TempDir() + "/job";
  std::filesystem::create_directory(folder);
  const std::string a = folder + "/a.png", b = folder + "/b.png", c = folder + "/c.png";
  ASSERT_OK(OutputFile::WriteWhole(a, MakePng({.width = 4, .height = 2})));
  ASSERT_OK(OutputFile::WriteWhole(b, MakePng({.width = 4, .height = 2, .colours = 6})));
  ASSERT_OK(OutputFile::WriteWhole(c, MakePng({.width = 5, .height = 2})));
  JobInput input;
  PredictedImage done;
  ASSERT_OK(ReadJob({.input = a, .output = "", .others = {b}}, {}, input, done));
  EXPECT_THAT(done.notes, ElementsAre("alpha ignored"));
  std::filesystem::remove(a);
  std::filesystem::remove(b);
  ASSERT_OK(ReadJob({.input = a, .output = "", .others = {b}}, {}, input, done));
  EXPECT_THAT(input.paths, ElementsAre(a, b));
  ASSERT_OK(ReadJob({.input = b, .output = "", .others = {c}}, {}, input, done));
  EXPECT_THAT(input.paths, ElementsAre(b, c));
  ASSERT_EQ(input.images.size(), 2);
  EXPECT_EQ(input.images[0].width, 4);
  EXPECT_EQ(input.images[1].width, 5);
  EXPECT_THAT(done.notes, ElementsAre("alpha ignored"));
  EXPECT_THAT(ReadJob({.input = a, .output = "", .others = {b}}, {}, input, done),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/a.png")));
}

// Around the first and the last frame of a clip they come several times.
TEST(ReadJob, AnImageMayComeTwice) {
  const std::string folder = testing::TempDir() + "/twice";
  std::filesystem::create_directory(folder);
  const std::string a = folder + "/a.png", b = folder + "/b.png";
  ASSERT_OK(OutputFile::WriteWhole(a, MakePng({.width = 4, .height = 2})));
  ASSERT_OK(OutputFile::WriteWhole(b, MakePng({.width = 5, .height = 3})));
  JobInput input;
  PredictedImage done;
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(ReadJob({.input = a, .output = "", .others = {a, b, a}}, {}, input, done));
    EXPECT_THAT(input.paths, ElementsAre(a, a, b, a));
    std::vector<int> widths;
    for (const Image& image : input.images) widths.push_back(image.width);
    EXPECT_THAT(widths, ElementsAre(4, 4, 5, 4));
    std::filesystem::remove(a);
    std::filesystem::remove(b);
  }
}

}  // namespace
}  // namespace modelport
