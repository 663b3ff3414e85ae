// predict from end to end: images of many kinds in, pictures and maps out, and every bad input that users give.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "common/checkpoint/seeded.h"
#include "common/digest/sha256.h"
#include "common/io/testing/obey_permissions.h"
#include "common/status/status_matchers.h"
#include "common/torchscript/archive/testing/archive_records.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/goldens/golden_case.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"
#include "tools/image/encode_png.h"
#include "tools/image/read_image.h"
#include "tools/image/testing/read_exr.h"
#include "tools/image/testing/sample_images.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Key;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

std::string ViewsModel() { return ExampleModel("views"); }
std::string PointsModel() { return ExampleModel("points"); }

std::vector<std::string> Arguments(const std::string& model, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"--model=" + model, "--weights=seeded", "--plugin_path=" + DataPath("models")};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Runs predict with a small model in `folder`. Where the size does not matter it is a small one, since the models' own
// takes ten times as long.
ToolResult Predict(const std::string& folder, const std::vector<std::string>& more,
                   const std::string& model = DepthModel()) {
  return RunWarmTool("predict", Arguments(model, more), folder);
}

void WriteFile(const std::string& path, const std::string& bytes) { std::ofstream(path) << bytes; }

// A new folder with an image "photo.png" of 40 x 30 pixels.
std::string FolderWithPhoto() {
  const std::string folder = EmptyFolder(testing::UnitTest::GetInstance()->current_test_info()->name());
  WriteFile(folder + "/photo.png", MakePng({.width = 40, .height = 30}));
  return folder;
}

// Expects that predict ends with an error whose first line is `line`, and writes nothing.
void ExpectError(const std::string& folder, const std::vector<std::string>& more,
                 const testing::Matcher<const std::string&>& line, const std::string& model = DepthModel()) {
  const std::vector<std::string> before = FileNames(folder);
  const ToolResult result = Predict(folder, more, model);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err.substr(0, result.err.find('\n')), line);
  EXPECT_EQ(FileNames(folder), before);
}

Image ReadPicture(const std::string& path) {
  const auto read = ReadImage(path, 10000000);
  EXPECT_THAT(read, IsOk());
  return read.ok() ? read->image : Image();
}

TEST(PredictTest, DepthIsUpstreams) {
  const std::string folder = EmptyFolder("upstream");
  const int width = 60, height = 45;
  std::vector<float> values(width * height * 3);
  SeededFill("input:raw", /*seed=*/0, /*center=*/0.5, /*spread=*/0.5, absl::MakeSpan(values));
  std::vector<uint8_t> rgb(values.size());
  for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(values[i / 3 * 3 + 2 - i % 3] * 256);
  ASSERT_OK_AND_ASSIGN(const std::string png, EncodePng(width, height, absl::MakeConstSpan(rgb), {}));
  WriteFile(folder + "/photo.png", png);
  const ToolResult result =
      Predict(folder, {"--input=photo.png", "--size=70", "--out=depth.exr"}, ExampleModel("published depth"));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  ExrContent exr = ReadExr(folder + "/depth.exr");
  const std::vector<float>& depth = exr.channels["depth.Z"];
  const std::string references = absl::StrCat("models/", ExampleFamily("published depth"), "/testdata/references/",
                                              ExampleModel("published depth"), "_infer_image/");
  ASSERT_OK_AND_ASSIGN(const auto golden, ReadTensors(DataPath(references + "raw45x60_size70.safetensors")));
  const at::Tensor& expected = golden.at("depth");
  ASSERT_EQ(static_cast<int64_t>(depth.size()), expected.numel());
  const absl::Span<const float> upstream(expected.const_data_ptr<float>(), expected.numel());
  const auto [min, max] = std::minmax_element(upstream.begin(), upstream.end());
  double largest = 0;
  for (size_t i = 0; i < depth.size(); ++i) largest = std::max<double>(largest, std::abs(depth[i] - upstream[i]));
  EXPECT_LE(largest, 1e-3 * (*max - *min));
  std::printf("%.1e of the depth's range\n", largest / (*max - *min));
}

TEST(PredictTest, ExrSaysWhereItComesFrom) {
  const std::string folder = FolderWithPhoto();
  const ToolResult result = Predict(folder, {"--input=photo.png", "--out=depth.exr"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("source  SEEDED weights: predicts nothing (seeded:v1:0)"),
                                HasSubstr("input   photo.png, 40 x 30"), HasSubstr("wrote   depth.exr"),
                                HasSubstr("relative depth, larger is nearer")));
  ExrContent exr = ReadExr(folder + "/depth.exr");
  EXPECT_EQ(exr.width, 40);
  EXPECT_EQ(exr.height, 30);
  EXPECT_THAT(exr.channels, SizeIs(1));
  EXPECT_EQ(exr.texts.count("modelport/manifestSha256"), 0);
  EXPECT_EQ(exr.texts["modelport/model"], DepthModel());
  EXPECT_EQ(exr.texts["modelport/warning"], "SEEDED weights: predicts nothing");
  EXPECT_EQ(exr.texts["modelport/unit"], "relative depth, larger is nearer");
}

// The number of each pixel of a 16-bit PNG.
std::vector<float> Numbers(const std::string& path) {
  const Image image = ReadPicture(path);
  const auto* const floats = std::get_if<std::vector<float>>(&image.pixels);
  std::vector<float> numbers;
  for (size_t i = 0; floats != nullptr && i < floats->size(); i += 3) numbers.push_back((*floats)[i] * 65535);
  return numbers;
}

TEST(PredictTest, DepthLiesWhereThePlateDoes) {
  const std::string folder = EmptyFolder("plate");
  WriteFile(folder + "/plate.exr", MakeExr({.width = 24, .height = 16, .left = 100, .top = 50, .pixel_aspect = 2}));
  ASSERT_EQ(Predict(folder, {"--input=plate.exr", "--size=56", "--out=depth.exr"}).exit_status, 0);
  const ExrContent depth = ReadExr(folder + "/depth.exr");
  EXPECT_EQ(depth.left, 100);
  EXPECT_EQ(depth.top, 50);
  EXPECT_EQ(depth.width, 24);
  EXPECT_EQ(depth.pixel_aspect, 2);
}

TEST(PredictTest, ALargerImageHasALargerWindow) {
  const std::string folder = EmptyFolder("window");
  WriteFile(folder + "/plate.exr", MakeExr({.width = 24, .height = 16, .left = 100, .top = -50, .pixel_aspect = 2}));
  const ToolResult result = Predict(folder, {"--input=plate.exr", "--out=large.exr"}, ExampleModel("larger image"));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const ExrContent large = ReadExr(folder + "/large.exr");
  EXPECT_EQ(large.width, 96);
  EXPECT_EQ(large.left, 400);
  EXPECT_EQ(large.top, -200);
  EXPECT_EQ(large.pixel_aspect, 2);
}

TEST(PredictTest, PngHolds16BitsOfRelativeDepth) {
  const std::string folder = FolderWithPhoto();
  ASSERT_EQ(Predict(folder, {"--input=photo.png", "--size=56", "--out=depth.exr"}).exit_status, 0);
  ASSERT_EQ(Predict(folder, {"--input=photo.png", "--size=56", "--out=depth.png"}).exit_status, 0);
  const std::vector<float> depth = ReadExr(folder + "/depth.exr").channels["depth.Z"];
  const std::vector<float> numbers = Numbers(folder + "/depth.png");
  ASSERT_EQ(numbers.size(), depth.size());
  const auto [min, max] = std::minmax_element(depth.begin(), depth.end());
  ASSERT_LT(*min, *max);
  for (size_t i = 0; i < depth.size(); ++i) {
    EXPECT_NEAR(numbers[i], (depth[i] - *min) / (*max - *min) * 65535, 0.51 + 0.01);
  }
}

TEST(PredictTest, PngHoldsMetresTimes256) {
  const std::string folder = FolderWithPhoto();
  ASSERT_EQ(Predict(folder, {"--input=photo.png", "--size=56", "--out=depth.exr"}, ExampleModel("depth in metres"))
                .exit_status,
            0);
  ASSERT_EQ(Predict(folder, {"--input=photo.png", "--size=56", "--out=depth.png"}, ExampleModel("depth in metres"))
                .exit_status,
            0);
  ExrContent exr = ReadExr(folder + "/depth.exr");
  EXPECT_EQ(exr.texts["modelport/unit"], "metres");
  const std::vector<float> numbers = Numbers(folder + "/depth.png");
  ASSERT_THAT(numbers, SizeIs(1200));
  for (size_t i = 0; i < numbers.size(); ++i) EXPECT_NEAR(numbers[i], exr.channels["depth.Z"][i] * 256, 0.52);
}

TEST(PredictTest, ColoursComeWithALegendAndTheImage) {
  const std::string folder = FolderWithPhoto();
  WriteFile(folder + "/wide.png", MakePng({.width = 400, .height = 100}));
  ASSERT_EQ(Predict(folder, {"--input=wide.png", "--size=56", "--out=colours.png", "--colours=turbo"}).exit_status, 0);
  const Image colours = ReadPicture(folder + "/colours.png");
  EXPECT_EQ(colours.width, 400);
  EXPECT_GT(colours.height, 120);
  ASSERT_EQ(Predict(folder, {"--input=wide.png", "--size=56", "--out=side.png", "--side_by_side"}).exit_status, 0);
  const Image side = ReadPicture(folder + "/side.png");
  EXPECT_EQ(side.width, 800);
  const auto* const bytes = std::get_if<std::vector<uint8_t>>(&side.pixels);
  ASSERT_NE(bytes, nullptr);
  for (const int x : {0, 200, 399}) EXPECT_EQ((*bytes)[(50 * 800 + x) * 3], SampleValue(x, 50, 0));
}

TEST(PredictTest, FeaturesBecomeAPictureOrChannels) {
  const std::string folder = FolderWithPhoto();
  const ToolResult result =
      Predict(folder, {"--input=photo.png", "--out=features.png", "--size=56"}, ExampleModel("features"));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  // The picture has a caption with the warning, which makes it wider.
  EXPECT_EQ(ReadPicture(folder + "/features.png").width, 320);
  ASSERT_EQ(Predict(folder, {"--input=photo.png", "--out=f.exr", "--size=56"}, ExampleModel("features")).exit_status,
            0);
  ExrContent exr = ReadExr(folder + "/f.exr");
  EXPECT_EQ(exr.height, 4);
  EXPECT_THAT(exr.channels, SizeIs(24));
  EXPECT_EQ(exr.channels.count("features.0023"), 1);
}

TEST(PredictTest, LabelsArePrinted) {
  const std::string folder = FolderWithPhoto();
  const ToolResult result = Predict(folder, {"--input=photo.png"}, ExampleModel("two files"));
  ASSERT_EQ(result.exit_status, 0) << result.err;
  int labels = 0;
  for (const absl::string_view line : absl::StrSplit(result.out, '\n'))
    labels += absl::StartsWith(line, "label") ? 1 : 0;
  EXPECT_EQ(labels, 5);
  EXPECT_THAT(result.out, HasSubstr(" %  class "));
  const ToolResult named = Predict(folder, {"--input=photo.png"}, ExampleModel("published two files"));
  EXPECT_THAT(named.out, ContainsRegex("label +[0-9.]+ %  [A-Za-z' -]+, class [0-9]+\n")) << named.err;
  ExpectError(folder, {"--input=photo.png", "--out=labels.png"}, HasSubstr("labels of a model of classes"),
              ExampleModel("two files"));
}

// A PNG of 40 x 30 pixels of one grey.
std::string GreyPng(uint8_t grey) {
  const std::vector<uint8_t> rgb(40 * 30 * 3, grey);
  const absl::StatusOr<std::string> png = EncodePng(40, 30, absl::MakeConstSpan(rgb), {});
  EXPECT_THAT(png, IsOk());
  return *png;
}

// The matte of photo.png with this trimap.
std::vector<float> Matte(const std::string& folder, const std::string& trimap) {
  const std::vector<std::string> flags = {"--input=photo.png", "--trimap=" + trimap, "--out=matte.exr"};
  const ToolResult result = Predict(folder, flags, ExampleModel("matte"));
  EXPECT_EQ(result.exit_status, 0) << result.err;
  ExrContent exr = ReadExr(folder + "/matte.exr");
  EXPECT_EQ(exr.width, 40);
  EXPECT_EQ(exr.height, 30);
  EXPECT_EQ(exr.texts["modelport/model"], ExampleModel("matte"));
  return exr.channels["A"];
}

float LargestDifference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  float largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(PredictTest, AnImageBecomesLarger) {
  const std::string folder = FolderWithPhoto(), input = "--input=photo.png", model = ExampleModel("larger image");
  const ToolResult result = Predict(folder, {input, "--out=large.exr"}, model);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("image   160 x 120"));
  ExrContent exr = ReadExr(folder + "/large.exr");
  EXPECT_EQ(exr.width, 160);
  EXPECT_EQ(exr.height, 120);
  for (const std::string channel : {"R", "G", "B"}) {
    EXPECT_THAT(exr.channels[channel], SizeIs(160 * 120));
    EXPECT_THAT(exr.channels[channel], testing::Each(testing::AllOf(testing::Ge(0), testing::Le(1))));
  }
  EXPECT_EQ(Predict(folder, {input, "--out=large.png"}, model).exit_status, 0);
  ExpectError(folder, {input, "--out=l.png", "--colours=turbo"}, HasSubstr("gives no depth; leave out --colours"),
              model);
  ExpectError(folder, {input, "--out=l.png", "--size=70"}, HasSubstr("has no choice of a size"), model);
  const ToolResult exported =
      RunWarmTool("export", Arguments(model, {"--with_preprocess", "--out=m.pt", "--noverify"}), folder);
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  EXPECT_THAT(Predict(folder, {input, "--compare=m.pt"}, model).out, HasSubstr("difference  largest 0, mean 0"));
}

// The model sees four pixels around each, so that pieces with as many around them give the image itself.
TEST(PredictTest, PiecesOfAnImageGiveTheSame) {
  const std::string folder = FolderWithPhoto(), input = "--input=photo.png", model = ExampleModel("larger image");
  ASSERT_EQ(Predict(folder, {input, "--out=whole.exr"}, model).exit_status, 0);
  std::map<std::string, std::vector<float>> whole = ReadExr(folder + "/whole.exr").channels;
  const auto difference = [&](const std::vector<std::string>& tiles) {
    std::vector<std::string> flags = {input, "--out=tiles.exr"};
    flags.insert(flags.end(), tiles.begin(), tiles.end());
    const ToolResult result = Predict(folder, flags, model);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    std::map<std::string, std::vector<float>> channels = ReadExr(folder + "/tiles.exr").channels;
    double largest = 0;
    for (const std::string channel : {"R", "G", "B"}) {
      largest = std::max<double>(largest, LargestDifference(whole[channel], channels[channel]));
    }
    return largest;
  };
  for (const char* side : {"--tile=12", "--tile=16", "--tile=512"}) {
    EXPECT_LE(difference({side}), 1e-6) << side;
    EXPECT_LE(difference({side, "--tile_pad=4"}), 1e-6) << side;
  }
  EXPECT_GT(difference({"--tile=16", "--tile_pad=0"}), 1e-4);

  ExpectError(folder, {input, "--out=l.png", "--tile=18"}, HasSubstr("--tile=18: wants a multiple of 4"), model);
  ExpectError(folder, {input, "--out=l.png", "--tile=0"}, HasSubstr("--tile=0: wants a multiple of 4"), model);
  ExpectError(folder, {input, "--out=l.png", "--tile=16", "--tile_pad=-4"},
              HasSubstr("--tile_pad=-4: wants a multiple of 4 from 0 to 65536"), model);
  ExpectError(folder, {input, "--out=l.png", "--tile=16"},
              HasSubstr("--tile is for models that make one image of one"));
}

TEST(PredictTest, FramesAreMadeBetweenImages) {
  const std::string folder = EmptyFolder("frames"), model = ExampleModel("image between two");
  for (const int number : {8, 9, 10}) {
    const std::vector<float> grey(40 * 30 * 3, static_cast<float>(number) / 20);
    WriteFile(absl::StrFormat("%s/plate.%04d.exr", folder, number),
              MakeExr({.width = 40, .height = 30, .values = grey}));
  }
  const ToolResult result = Predict(folder, {"--input=plate.%04d.exr", "--between=3", "--out=slow.%04d.exr"}, model);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("input   3 images, 40 x 30\n"), HasSubstr("6 files: slow.0009.exr to slow.0015.exr")));
  EXPECT_THAT(FileNames(folder),
              ElementsAre("plate.0008.exr", "plate.0009.exr", "plate.0010.exr", "slow.0009.exr", "slow.0010.exr",
                          "slow.0011.exr", "slow.0013.exr", "slow.0014.exr", "slow.0015.exr"));
  // Far from the borders a blend of two images of one colour each is between them, whatever moves.
  const ExrContent first = ReadExr(folder + "/slow.0009.exr"), later = ReadExr(folder + "/slow.0015.exr");
  EXPECT_EQ(first.width, 40);
  EXPECT_THAT(first.channels.at("G")[0], AllOf(testing::Ge(0.399f), testing::Le(0.451f)));
  EXPECT_THAT(later.channels.at("G")[0], AllOf(testing::Ge(0.449f), testing::Le(0.501f)));

  // Two images and one frame need no numbers.
  const std::string two = "--input=plate.0008.exr,plate.0009.exr";
  ASSERT_EQ(Predict(folder, {two, "--between=1", "--out=half.exr"}, model).exit_status, 0);
  const std::vector<float> half = ReadExr(folder + "/half.exr").channels["G"];
  EXPECT_EQ(half, ReadExr(folder + "/slow.0010.exr").channels["G"]);
  EXPECT_NE(half, ReadExr(folder + "/slow.0009.exr").channels["G"]);

  ExpectError(folder, {two, "--out=*.png"}, HasSubstr(model + " makes frames between two images"), model);
  ExpectError(folder, {two, "--between=0", "--out=x.png"}, HasSubstr("--between=0: wants a number in 1..1000"), model);
  ExpectError(folder, {"--input=plate.0008.exr", "--between=1", "--out=x.png"}, HasSubstr("names one alone"), model);
  ExpectError(folder, {two, "--between=2", "--out=x.png"}, HasSubstr("would be written for"), model);
  EXPECT_THAT(Predict(folder, {two, "--out=x.png"}).err,
              AllOf(HasSubstr("would be written for"), HasSubstr("wants --between=1 or --flow")));
  EXPECT_THAT(Predict(folder, {two, "--out=x.gif"}).err,
              AllOf(HasSubstr("ends with .png or .exr"), Not(HasSubstr("--between"))));
  ExpectError(folder, {two, "--between=1", "--missing=skip", "--out=x.png"},
              HasSubstr("--between and --missing do not go together: "), model);
  ExpectError(folder, {two, "--between=1", "--out=x.%04d.png"},
              HasSubstr("--between: " + DepthModel() + " makes no frames between two images"));
  WriteFile(folder + "/small.png", MakePng({.width = 39, .height = 30}));
  ExpectError(folder, {"--input=plate.0008.exr,small.png", "--between=1", "--out=x.png"},
              HasSubstr("plate.0008.exr and small.png: frames want one size; there are 40 x 30 and 39 x 30"), model);
}

TEST(PredictTest, MotionIsFromEachImageIntoTheNext) {
  const std::string folder = EmptyFolder("motion"), model = ExampleModel("motion"),
                    both = ExampleModel("image between two");
  for (const int number : {8, 9, 10}) {
    const std::vector<float> grey(40 * 30 * 3, static_cast<float>(number) / 20);
    WriteFile(absl::StrFormat("%s/plate.%04d.exr", folder, number),
              MakeExr({.width = 40, .height = 30, .values = grey}));
  }
  const std::string three = "--input=plate.%04d.exr";
  ASSERT_EQ(Predict(folder, {three, "--flow", "--out=m.%04d.exr"}, model).exit_status, 0);
  EXPECT_THAT(FileNames(folder), IsSupersetOf({"m.0008.exr", "m.0009.exr"}));
  EXPECT_THAT(FileNames(folder), Not(Contains("m.0010.exr")));
  const ExrContent last = ReadExr(folder + "/m.0009.exr");
  EXPECT_EQ(last.width, 40);
  EXPECT_THAT(last.channels, UnorderedElementsAre(Key("forward.u"), Key("forward.v")));

  // Two images and their motion need no numbers.
  ASSERT_EQ(Predict(folder, {"--input=plate.0009.exr,plate.0010.exr", "--flow", "--out=one.exr"}, model).exit_status,
            0);
  EXPECT_EQ(ReadExr(folder + "/one.exr").channels, last.channels);
  const ToolResult picture = Predict(folder, {three, "--flow", "--range=0,9", "--out=m.*.png"}, model);
  ASSERT_EQ(picture.exit_status, 0) << picture.err;
  EXPECT_THAT(FileNames(folder), IsSupersetOf({"m.plate.0008.png", "m.plate.0009.png"}));

  // A folder has the motion as numbers.
  ASSERT_EQ(mkdir((folder + "/out").c_str(), 0755), 0);
  ASSERT_EQ(Predict(folder, {three, "--flow", "--out=out"}, model).exit_status, 0);
  EXPECT_THAT(FileNames(folder + "/out"), ElementsAre("plate.0008.exr", "plate.0009.exr"));

  // A model that makes frames between gives the same at the time of the first image.
  ASSERT_EQ(Predict(folder, {"--input=plate.0008.exr,plate.0009.exr", "--flow", "--out=pair.exr"}, both).exit_status,
            0);
  EXPECT_THAT(ReadExr(folder + "/pair.exr").channels, UnorderedElementsAre(Key("forward.u"), Key("forward.v")));
  ASSERT_EQ(Predict(folder, {three, "--flow", "--between=1", "--out=b.%04d.exr"}, both).exit_status, 0);
  EXPECT_THAT(ReadExr(folder + "/b.0009.exr").channels,
              UnorderedElementsAre(Key("backward.u"), Key("backward.v"), Key("forward.u"), Key("forward.v")));

  ExpectError(folder, {three, "--out=m.*.exr"}, HasSubstr(model + " gives the motion from image to image"), model);
  ExpectError(folder, {three, "--between=1", "--out=m.*.exr"},
              HasSubstr("--between: " + model + " makes no frames between two images"), model);
  ExpectError(folder, {"--input=plate.0008.exr", "--flow", "--out=m.exr"}, HasSubstr("--input names one image"), model);
  ExpectError(folder, {three, "--flow", "--range=-5,0", "--out=m.*.png"}, HasSubstr("MAX is a length in pixels"),
              model);
  ExpectError(folder, {three, "--flow", "--out=m.*.exr"}, HasSubstr("--flow: " + DepthModel() + " gives no motion"));
  ExpectError(folder, {three, "--flow", "--out=m.*.exr"}, HasSubstr("--flow: " + ViewsModel() + " gives no motion"),
              ViewsModel());
}

TEST(PredictTest, AMatteNeedsATrimap) {
  const std::string folder = FolderWithPhoto();
  WriteFile(folder + "/grey.png", GreyPng(128));
  WriteFile(folder + "/white.png", GreyPng(255));
  const std::vector<float> half(3 * 40 * 30, 128 / 255.0f);
  WriteFile(folder + "/grey.exr", MakeExr({.width = 40, .height = 30, .values = half}));
  WriteFile(folder + "/small.png", MakePng({.width = 39, .height = 30, .colours = 0}));
  const std::vector<float> matte = Matte(folder, "grey.png");
  ASSERT_THAT(matte, SizeIs(40 * 30));
  EXPECT_GT(LargestDifference(matte, Matte(folder, "white.png")), 1e-3);
  EXPECT_LE(LargestDifference(matte, Matte(folder, "grey.exr")), 1e-5);
  const std::string input = "--input=photo.png", model = ExampleModel("matte");
  EXPECT_EQ(Predict(folder, {input, "--trimap=grey.png", "--out=matte.png"}, model).exit_status, 0);
  const Image png = ReadPicture(folder + "/matte.png");
  const auto& values = std::get<std::vector<float>>(png.pixels);
  for (size_t i = 0; i < matte.size(); ++i) ASSERT_NEAR(values[3 * i], matte[i], 1e-5);

  ExpectError(folder, {input, "--out=m.png"},
              StartsWith("INVALID_ARGUMENT: --trimap is missing: " + ExampleModel("matte")), model);
  ExpectError(folder, {input, "--trimap=grey.png", "--out=m.png"},
              HasSubstr("--trimap: " + DepthModel() + " takes none"));
  ExpectError(folder, {input, "--trimap=grey.png,white.png", "--out=m.png"},
              HasSubstr("--trimap=grey.png,white.png: none of 2 files is for photo.png"), model);
  ExpectError(folder, {input, "--trimap=grey.png", "--out=grey.png"},
              HasSubstr("grey.png itself; write to another file"), model);
  WriteFile(folder + "/colours.png", MakePng({.width = 40, .height = 30}));
  ExpectError(folder, {input, "--trimap=colours.png", "--out=m.png"}, HasSubstr("colours.png: a trimap is grey"),
              model);
  ExpectError(folder, {input, "--trimap=photo.png", "--out=m.png"},
              Eq("INVALID_ARGUMENT: photo.png: has no alpha to take the trimap from; give --trimap another file, grey "
                 "or with the trimap in alpha"),
              model);
  ExpectError(folder, {input, "--trimap=small.png", "--out=m.png"},
              Eq("INVALID_ARGUMENT: photo.png: the image has 40 x 30 pixels, its trimap 39 x 30"), model);
}

TEST(PredictTest, TheAlphaOfAnImageIsATrimap) {
  const std::string folder = FolderWithPhoto(), model = ExampleModel("matte");
  std::vector<float> plate, thrice;
  for (int i = 0; i < 3 * 40 * 30; ++i) plate.push_back(i % 97 / 97.0f);
  for (int i = 0; i < 3 * 40 * 30; ++i) thrice.push_back(i % 40 < 10 ? 0 : i % 40 < 30 ? 0.5f : 1);
  plate.insert(plate.end(), thrice.begin(), thrice.begin() + 40 * 30);
  WriteFile(folder + "/plate.exr",
            MakeExr({.width = 40, .height = 30, .channels = {"R", "G", "B", "A"}, .values = plate}));
  WriteFile(folder + "/trimap.exr", MakeExr({.width = 40, .height = 30, .values = thrice}));
  const std::vector<float> wanted = Matte(folder, "trimap.exr");
  // The numbers of grey went to sRGB and back.
  EXPECT_LE(LargestDifference(Matte(folder, "plate.exr"), wanted), 1e-5);
  const auto of_channels = [&](const std::vector<std::string>& channels, const std::vector<float>& values) {
    WriteFile(folder + "/other.exr", MakeExr({.width = 40, .height = 30, .channels = channels, .values = values}));
    return Matte(folder, "other.exr");
  };
  std::vector<float> shape(3 * 40 * 30, 0), opaque = thrice;
  shape.insert(shape.end(), thrice.begin(), thrice.begin() + 40 * 30);
  opaque.resize(4 * 40 * 30, 1);
  EXPECT_LE(LargestDifference(of_channels({"R", "G", "B", "A"}, shape), wanted), 1e-5) << "a shape over black";
  EXPECT_LE(LargestDifference(of_channels({"A"}, thrice), wanted), 1e-5) << "alpha alone";
  EXPECT_LE(LargestDifference(of_channels({"R", "G", "B", "A"}, opaque), wanted), 1e-5) << "grey that is opaque";
  plate.resize(3 * 40 * 30);
  plate.resize(4 * 40 * 30, 1);
  WriteFile(folder + "/solid.exr",
            MakeExr({.width = 40, .height = 30, .channels = {"R", "G", "B", "A"}, .values = plate}));
  ExpectError(folder, {"--input=photo.png", "--trimap=solid.exr", "--out=m.exr"},
              HasSubstr("this is a colour image whose alpha is 1 everywhere"), model);
  ExpectError(folder, {"--input=plate.exr", "--out=m.exr"}, HasSubstr("--trimap is missing: " + model), model);
  const ToolResult own = Predict(folder, {"--input=plate.exr", "--trimap=plate.exr", "--out=matte.exr"}, model);
  EXPECT_EQ(own.exit_status, 0) << own.err;
  EXPECT_THAT(own.out + own.err, Not(HasSubstr("alpha ignored")));
}

TEST(PredictTest, ViewsOfASceneArePredictedTogether) {
  const std::string folder = FolderWithPhoto();
  WriteFile(folder + "/second.png", MakePng({.width = 40, .height = 30, .interlaced = true}));
  WriteFile(folder + "/other.png", MakePng({.width = 41, .height = 30}));
  const std::vector<std::string> both = {"--input=photo.png,second.png", "--out=*.exr", "--views", "--size=56"};
  const ToolResult result = Predict(folder, both, ViewsModel());
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const ExrContent exr = ReadExr(folder + "/second.exr");
  EXPECT_EQ(exr.width, 40);
  EXPECT_EQ(exr.channels.count("depth.Z"), 1);
  EXPECT_EQ(exr.channels.count("confidence.Y"), 1);
  ExpectError(folder, {"--input=photo.png,other.png", "--out=*.exr", "--views"},
              HasSubstr("views want one size; there are 40 x 30 and 41 x 30"), ViewsModel());
  ExpectError(folder, {"--input=photo.png,second.png", "--out=*.exr", "--views"},
              HasSubstr(DepthModel() + " takes one image at a time, not 2 views"));
}

TEST(PredictTest, ASceneHasCamerasAndPoints) {
  const std::string folder = FolderWithPhoto();
  WriteFile(folder + "/second.png", MakePng({.width = 40, .height = 30, .interlaced = true}));
  const std::string views = "--input=photo.png,second.png";
  ToolResult result = Predict(folder, {views, "--size=56", "--points=p.ply", "--cameras=c.json"}, ViewsModel());
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("points  1440, without 960 of little confidence"));
  EXPECT_THAT(ReadFile(folder + "/p.ply"), HasSubstr("element vertex 1440\n"));
  EXPECT_THAT(ReadFile(folder + "/c.json"), AllOf(HasSubstr("photo.png"), HasSubstr("second.png")));
  result = Predict(folder, {views, "--size=56", "--points=p.glb", "--cameras=colmap", "--conf=0"}, ViewsModel());
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("points  2400, without 0"));
  EXPECT_THAT(FileNames(folder + "/colmap"), ElementsAre("cameras.txt", "images.txt", "points3D.txt"));
  ExpectError(folder, {views, "--cameras=colmap"}, StartsWith("ALREADY_EXISTS: colmap"), ViewsModel());
  ExpectError(folder, {views, "--points=p.obj"}, HasSubstr("p.obj: wants a name that ends with .ply or .glb"),
              ViewsModel());
  std::filesystem::create_symlink("second.png", folder + "/second.json");
  ExpectError(folder, {views, "--cameras=second.json"}, HasSubstr("second.png itself; write to another file"),
              ViewsModel());
  ExpectError(folder, {views, "--points=q.ply", "--conf=100"}, HasSubstr("--conf=100: "), ViewsModel());
  ExpectError(folder, {"--input=photo.png", "--points=q.ply"}, HasSubstr("the model gives no cameras"),
              ExampleModel("one view"));
}

// A model of points gives depth where its mask is 1, normals and, with its camera, a cloud of that very depth.
TEST(PredictTest, OnePhotoGivesDepthNormalsAndPoints) {
  const std::string folder = FolderWithPhoto();
  const ToolResult result =
      Predict(folder, {"--input=photo.png", "--size=20", "--out=all.exr", "--points=p.ply"}, PointsModel());
  ASSERT_EQ(result.exit_status, 0) << result.err;
  ExrContent exr = ReadExr(folder + "/all.exr");
  EXPECT_THAT(exr.channels, SizeIs(5));
  EXPECT_EQ(exr.texts["modelport/unit"], "metres");
  int with_depth = 0;
  for (size_t i = 0; i < exr.channels["depth.Z"].size(); ++i) {
    const bool is_inside = exr.channels["mask.Y"][i] == 1;
    with_depth += is_inside;
    EXPECT_EQ(std::isfinite(exr.channels["depth.Z"][i]), is_inside);
    const double length =
        std::hypot(exr.channels["normal.X"][i], exr.channels["normal.Y"][i], exr.channels["normal.Z"][i]);
    EXPECT_NEAR(length, is_inside ? 1 : 0, 1e-5);
  }
  EXPECT_GT(with_depth, 0);
  EXPECT_LT(with_depth, 40 * 30);
  EXPECT_THAT(result.out, HasSubstr(absl::StrCat("points  ", with_depth, ", without ", 40 * 30 - with_depth)));

  // 16 bits cannot hold an infinite depth; 0 stands for it.
  ASSERT_EQ(Predict(folder, {"--input=photo.png", "--size=20", "--out=depth.png"}, PointsModel()).exit_status, 0);
  const std::vector<float> numbers = Numbers(folder + "/depth.png");
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (exr.channels["mask.Y"][i] == 0) {
      EXPECT_EQ(numbers[i], 0);
    }
  }
}

TEST(PredictTest, NormalsAreDrawn) {
  const std::string folder = FolderWithPhoto();
  ASSERT_EQ(Predict(folder, {"--input=photo.png", "--size=20", "--out=n.exr"}, PointsModel()).exit_status, 0);
  ASSERT_EQ(Predict(folder, {"--input=photo.png", "--size=20", "--normals", "--out=n.png"}, PointsModel()).exit_status,
            0);
  const std::vector<float> red = ReadExr(folder + "/n.exr").channels["normal.X"];
  const Image picture = ReadPicture(folder + "/n.png");
  const auto* const bytes = std::get_if<std::vector<uint8_t>>(&picture.pixels);
  ASSERT_NE(bytes, nullptr);
  // The normals stand in the middle of a wider picture, above a caption that says that the weights are seeded.
  ASSERT_GT(picture.height, 30);
  const int left = (picture.width - 40) / 2;
  for (int i = 0; i < 40 * 30; ++i) {
    EXPECT_EQ((*bytes)[3 * (i / 40 * picture.width + left + i % 40)], std::lround((red[i] + 1) / 2 * 255));
  }
  ExpectError(folder, {"--input=photo.png", "--normals", "--out=m.png"}, HasSubstr(DepthModel() + " gives no normals"));
  ExpectError(folder, {"--input=photo.png", "--normals", "--colours=grey", "--out=m.png"},
              HasSubstr("--normals and --colours do not go together: normals have colours of their own"),
              PointsModel());
  ExpectError(folder, {"--input=photo.png,n.png", "--points=p.ply"},
              HasSubstr(PointsModel() + " takes one image at a time, not 2 views"), PointsModel());
}

TEST(PredictTest, NoFlagIsIgnored) {
  const std::string folder = FolderWithPhoto();
  const struct {
    std::vector<std::string> flags;
    std::string message;
  } kCases[] = {
      {{"--tile_pad=64"}, "--tile_pad changes nothing without --tile"},
      {{"--percentiles=2,98"}, "--percentiles changes nothing without --colours, --side_by_side or --compare"},
      {{"--conf=10"}, "--conf changes nothing without --points"},
      {{"--knob=a=1"}, "--knob changes nothing without --artifact"},
      {{"--artifact=m.pt"}, "--artifact and --model do not go together: an artifact runs as it is"},
      {{"--views", "--tile=64"}, "--views and --tile do not go together: "},
      {{"--points=p.ply", "--compare=m.pt"}, "--points and --compare do not go together: "},
      {{"--cameras=c.json", "--benchmark"}, "--cameras and --benchmark do not go together: "},
      {{"--benchmark", "--compare=m.pt"}, "--benchmark and --compare do not go together: "},
  };
  for (const auto& test : kCases) {
    std::vector<std::string> flags = {"--input=photo.png"};
    flags.insert(flags.end(), test.flags.begin(), test.flags.end());
    ExpectError(folder, flags, HasSubstr(test.message));
  }
}

TEST(PredictTest, TwoArtifactsAreCompared) {
  const std::string folder = FolderWithPhoto();
  const auto export_to = [&](const std::string& out, const std::string& seed) {
    const std::vector<std::string> arguments = {"--model=" + DepthModel(), "--plugin_path=" + DataPath("models"),
                                                "--weights=seeded:" + seed, "--with_preprocess", "--out=" + out};
    EXPECT_EQ(RunWarmTool("export", arguments, folder).exit_status, 0);
  };
  export_to("a.pt", "0");
  export_to("b.pt", "1");
  const auto compare = [&](const std::string& other, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"--artifact=a.pt", "--compare=" + other, "--input=photo.png", "--size=56"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunWarmTool("predict", arguments, folder);
  };
  const ToolResult other = compare("b.pt", {"--out=both.png"});
  ASSERT_EQ(other.exit_status, 0) << other.err;
  EXPECT_THAT(other.out, AllOf(HasSubstr("difference  largest "), HasSubstr("wrote       both.png")));
  EXPECT_EQ(ReadPicture(folder + "/both.png").width, 320);
  EXPECT_THAT(other.out, Not(HasSubstr("largest 0,")));
  EXPECT_THAT(compare("a.pt", {}).out, testing::ContainsRegex("largest (0|[0-9.]+e-0[6-9]), "));
  EXPECT_THAT(compare("b.pt", {"--out=both.exr"}).err,
              HasSubstr("both.exr: a comparison is drawn as .png, and the numbers are printed; leave out --out"));
  EXPECT_THAT(compare("b.pt", {"--views"}).err, HasSubstr("--views and --compare do not go together: "));
}

TEST(PredictTest, ABenchmarkPrintsWhatAnImageCosts) {
  const std::string folder = FolderWithPhoto();
  WriteFile(folder + "/photo.png", MakePng({.width = 40, .height = 30, .colours = 6}));
  const ToolResult result = Predict(folder, {"--input=photo.png", "--benchmark", "--size=56"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("note         alpha ignored\n"), HasSubstr("median "), HasSubstr("p90 "),
                                HasSubstr("images/s"), HasSubstr("peak memory ")));
  EXPECT_THAT(FileNames(folder), ElementsAre("photo.png"));
}

// Depths of two runs are equal within float32: some kernels round differently for another place in memory.
void ExpectSameDepth(const std::string& a, const std::string& b) {
  const std::vector<float> first = ReadExr(a).channels["depth.Z"], second = ReadExr(b).channels["depth.Z"];
  ASSERT_EQ(first.size(), second.size());
  const float max = *std::max_element(first.begin(), first.end());
  for (size_t i = 0; i < first.size(); ++i) ASSERT_NEAR(first[i], second[i], 1e-5 * max);
}

TEST(PredictTest, AModelIsBuiltAndNothingOfItIsWritten) {
  const std::string folder = FolderWithPhoto();
  const auto predict = [&](const std::string& out, const std::string& weights) {
    return RunTool("predict",
                   Arguments(DepthModel(), {"--input=photo.png", "--size=56", "--out=" + out, "--weights=" + weights}),
                   folder, [&] {
                     setenv("HOME", folder.c_str(), 1);
                     setenv("XDG_CACHE_HOME", (folder + "/cache").c_str(), 1);
                   });
  };
  for (const char* out : {"1.exr", "2.exr"}) {
    const ToolResult result = predict(out, "seeded");
    ASSERT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.out, Not(HasSubstr("artifact")));
  }
  ExpectSameDepth(folder + "/1.exr", folder + "/2.exr");
  EXPECT_EQ(predict("3.exr", "seeded:1").exit_status, 0);
  const ExrContent first = ReadExr(folder + "/1.exr"), other = ReadExr(folder + "/3.exr");
  EXPECT_NE(first.texts.at("modelport/source"), other.texts.at("modelport/source"));
  EXPECT_THAT(FileNames(folder), ElementsAre("1.exr", "2.exr", "3.exr", "photo.png"));
}

TEST(PredictTest, WeightsAreCheckedAsInAnExport) {
  const std::string folder = FolderWithPhoto();
  const std::string name = ExampleModel("features"), checkpoint = folder + "/nan.pth";
  std::filesystem::copy_file(DataPath("tests/checkpoints/" + name + ".pth"), checkpoint);
  AlterArchive(checkpoint, [&](Records& records) {
    const float nan = std::nanf("");
    Content(records, "data/0").replace(0, sizeof(nan), reinterpret_cast<const char*>(&nan), sizeof(nan));
  });
  const auto predict = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"--model=" + name,
                                          "--plugin_path=" + DataPath("models"),
                                          "--checkpoint=nan.pth",
                                          "--input=photo.png",
                                          "--size=56",
                                          "--out=f.png"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return RunWarmTool("predict", arguments, folder);
  };
  const ToolResult refused = predict({});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err,
              AllOf(StartsWith("FAILED_PRECONDITION: nan.pth: "), HasSubstr("NaN"), HasSubstr("--allow_nonfinite")));
  EXPECT_THAT(FileNames(folder), ElementsAre("nan.pth", "photo.png"));
  EXPECT_THAT(predict({"--allow_nonfinite"}).err, Not(HasSubstr("--allow_nonfinite")));
}

TEST(PredictTest, ACheckpointTellsItsModel) {
  const std::string folder = FolderWithPhoto();
  const ToolResult result =
      RunWarmTool("predict",
                  {"--checkpoint=" + DataPath("tests/checkpoints/" + ExampleModel("features") + ".pth"),
                   "--input=photo.png", "--size=56", "--out=features.png", "--plugin_path=" + DataPath("models")},
                  folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("model   " + ExampleModel("features") + "\n"),
                                HasSubstr("        recognised " + ExampleModel("features") + ", ")));
}

TEST(PredictTest, OneBadFrameDoesNotStopTheOthers) {
  const std::string folder = EmptyFolder("sequence");
  const std::vector<float> grey(48, 0.18f);
  for (const int number : {998, 999, 1000}) {
    const std::string file = MakeExr({.width = 4, .height = 4, .values = grey});
    WriteFile(absl::StrCat(folder, "/plate.", number < 1000 ? "0" : "", number, ".exr"),
              number == 999 ? file.substr(0, file.size() / 2) : file);
  }
  mkdir((folder + "/out").c_str(), 0700);
  const ToolResult result = Predict(folder, {"--input=plate.%04d.exr", "--size=56", "--out=out/depth.####.exr"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, AllOf(StartsWith("DATA_LOSS: 1 of 3 images failed; the others are done\n"),
                                HasSubstr("plate.0999.exr: damaged or truncated")));
  EXPECT_THAT(FileNames(folder + "/out"), ElementsAre("depth.0998.exr", "depth.1000.exr"));
  EXPECT_THAT(result.out, HasSubstr("scene-linear: converted to sRGB, clipped to 0..1 (2 images)"));
}

TEST(PredictTest, ASequenceKeepsOneScaleAndItsHolesAreNamed) {
  const std::string folder = EmptyFolder("frames"), out = folder + "/out";
  for (const char* number : {"1", "2", "4"}) {
    WriteFile(absl::StrCat(folder, "/p.", number, ".png"), MakePng({.width = 4, .height = 4}));
  }
  mkdir(out.c_str(), 0700);
  ExpectError(folder, {"--input=p.%d.png", "--out=out"}, Eq("NOT_FOUND: p.%d.png: lacks the frame 3 between 1 and 4"));
  ToolResult result = Predict(folder, {"--input=p.%d.png", "--out=out", "--missing=skip", "--size=56"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(FileNames(out), ElementsAre("p.1.exr", "p.2.exr", "p.4.exr"));
  EXPECT_THAT(result.out, HasSubstr("lacks the frame 3 between 1 and 4\n"));
  result = Predict(folder, {"--input=p.%d.png", "--out=out/*.png", "--missing=skip", "--size=56"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("each file goes from its own smallest depth to its own largest; --range=MIN,MAX"));
  result = Predict(folder, {"--input=p.%d.png", "--out=out", "--missing=skip", "--size=56", "--range=0,1000"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out.find("own smallest"), std::string::npos);
  EXPECT_THAT(FileNames(out), ElementsAre("p.1.exr", "p.1.png", "p.2.exr", "p.2.png", "p.4.exr", "p.4.png"));
}

TEST(PredictTest, ARangeIsTheScaleOfEveryImage) {
  const std::string folder = FolderWithPhoto();
  ASSERT_EQ(Predict(folder, {"--input=photo.png", "--size=56", "--out=depth.exr"}).exit_status, 0);
  const std::vector<float> depth = ReadExr(folder + "/depth.exr").channels["depth.Z"];
  const auto [min, max] = std::minmax_element(depth.begin(), depth.end());
  const double middle = (*min + *max) / 2.0, top = *max + 1;
  const ToolResult result = Predict(
      folder, {"--input=photo.png", "--size=56", "--out=depth.png", absl::StrCat("--range=", middle, ",", top)});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex("depth outside .* is written as these, on .* % of the pixels; .exr holds it"));
  const std::vector<float> numbers = Numbers(folder + "/depth.png");
  for (size_t i = 0; i < depth.size(); ++i) {
    EXPECT_NEAR(numbers[i], std::max(0.0, (depth[i] - middle) / (top - middle) * 65535), 1.5);
  }
  ExpectError(folder, {"--input=photo.png", "--out=d.png", "--range=3,1"}, HasSubstr("--range=3,1: wants two numbers"));
  ExpectError(folder, {"--input=photo.png", "--out=d.exr", "--range=1,3"}, HasSubstr("--range is for .png files"));
  ExpectError(folder, {"--input=photo.png", "--out=d.png", "--range=1,3", "--percentiles=1,99"},
              HasSubstr("--range and --percentiles do not go together: both choose the scale"));
}

TEST(PredictTest, BadInputsAreRefusedInOneLine) {
  const std::string folder = FolderWithPhoto();
  WriteFile(folder + "/text.jpg", "this is no image");
  WriteFile(folder + "/half.jpg", MakeJpeg({.width = 64, .height = 64}).substr(0, 700));
  std::string huge = MakeJpeg({});
  huge.replace(huge.find("\xff\xc0") + 5, 4, "\x4e\x20\x4e\x20");  // 20000 x 20000.
  WriteFile(folder + "/huge.jpg", huge);
  WriteFile(folder + "/narrow.png", MakePng({.width = 1, .height = 20000}));
  mkdir((folder + "/empty").c_str(), 0700);
  const std::string out = "--out=depth.png";
  ExpectError(folder, {"--input=text.jpg", out}, Eq("INVALID_ARGUMENT: text.jpg: is no JPEG, PNG, TIFF or EXR image"));
  ExpectError(folder, {"--input=half.jpg", out}, StartsWith("DATA_LOSS: half.jpg: damaged or truncated: "));
  ExpectError(folder, {"--input=huge.jpg", out},
              Eq("RESOURCE_EXHAUSTED: huge.jpg: has 20000 x 20000 pixels, more than the limit of 100 megapixels; "
                 "--max_megapixels=400 reads it"));
  ExpectError(
      folder, {"--input=narrow.png", out},
      StartsWith("RESOURCE_EXHAUSTED: narrow.png: the model would see 5.37 B pixels of this image of 1 x 20000"));
  ExpectError(folder, {"--input=photo.png", "--size=100000", out},
              StartsWith("RESOURCE_EXHAUSTED: photo.png: --size=100000: the model would see "));
  ExpectError(folder, {"--input=photo.png", "--size=0", out}, Eq("INVALID_ARGUMENT: --size=0: wants a number from 1"));
  ExpectError(folder, {"--input=none.jpg", out}, Eq("NOT_FOUND: none.jpg: no such file or folder"));
  ExpectError(folder, {"--input=empty", out}, StartsWith("NOT_FOUND: empty: has no image"));
  ExpectError(folder, {"--input=photo.png", "--out=none/depth.png"}, StartsWith("NOT_FOUND: none/depth.png: "));
  ExpectError(folder, {"--input=photo.png", "--out=photo.png"}, HasSubstr("is the input photo.png itself"));
  ExpectError(folder, {"--input=photo.png", "--out=depth.gif"}, HasSubstr("ends with .png or .exr"));
  ExpectError(folder, {"--input=photo.png"}, StartsWith("INVALID_ARGUMENT: --out is missing"));
  ExpectError(folder, {out}, StartsWith("INVALID_ARGUMENT: --input is missing"));
  ExpectError(folder, {"--input=photo.png", out, "--colours=jet"}, HasSubstr("--colours=jet: "));
  ExpectError(folder, {"--input=photo.png", out, "--side_by_side", "--percentiles=98,2"},
              HasSubstr("--percentiles=98,2: "));
  ExpectError(folder, {"--input=photo.png", out, "--max_megapixels=0"}, HasSubstr("--max_megapixels=0: "));
}

// Only the size that was read is printed.
TEST(PredictTest, AnImageThatCannotBeReadHasNoSize) {
  const std::string folder = FolderWithPhoto();
  WriteFile(folder + "/text.jpg", "this is no image");
  for (const std::string input : {"text.jpg", "text.jpg,photo.png"}) {
    const ToolResult result = Predict(folder, {"--input=" + input, "--size=56", "--out=*.exr"});
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.out, AllOf(HasSubstr("model "), Not(HasSubstr("0 x 0"))));
  }
}

TEST(PredictTest, RareImagesGiveTheRightResult) {
  const std::string folder = EmptyFolder("rare");
  WriteFile(folder + "/one.png", MakePng({.width = 1, .height = 1}));
  WriteFile(folder + "/grey.jpg", MakeJpeg({.channels = 1}));
  WriteFile(folder + "/cmyk.jpg", MakeJpeg({.channels = 4}));
  WriteFile(folder + "/deep.tif", MakeTiff({.bits = 16}));
  WriteFile(folder + "/alpha.png", MakePng({.colours = 6}));
  WriteFile(folder + "/turned.jpg", MakeJpeg({.width = 24, .height = 16, .orientation = 6}));
  WriteFile(folder + "/nan.exr", MakeExr({.values = std::vector<float>(12, std::nanf(""))}));
  mkdir((folder + "/out").c_str(), 0700);
  const ToolResult result = Predict(folder, {"--input=.", "--size=56", "--out=out/*.exr"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("alpha ignored (1 image)"), HasSubstr("turned upright (orientation 6) (1 image)"),
                    HasSubstr("12 NaN taken as 0 (1 image)"), HasSubstr("CMYK converted to RGB")));
  EXPECT_THAT(FileNames(folder + "/out"), SizeIs(7));
  const ExrContent turned = ReadExr(folder + "/out/turned.exr");
  EXPECT_EQ(turned.width, 16);
  EXPECT_EQ(turned.height, 24);
}

TEST(PredictTest, AFolderThatCannotBeWrittenIsAnError) {
  const std::string folder = FolderWithPhoto();
  mkdir((folder + "/closed").c_str(), 0500);
  const auto arguments = Arguments(DepthModel(), {"--input=photo.png", "--out=closed/depth.png"});
  const ToolResult result = RunTool("predict", arguments, folder, [] { ObeyPermissions(); });
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("PERMISSION_DENIED: closed/depth.png"));
  EXPECT_THAT(FileNames(folder + "/closed"), IsEmpty());
}

// A manifest is whoever's who wrote the file, and may say of the code what is not so.
TEST(PredictTest, AManifestThatIsNotSoIsAnErrorOfTheFile) {
  const std::string folder = FolderWithPhoto();
  const ToolResult exported =
      RunWarmTool("export", Arguments(DepthModel(), {"--with_preprocess", "--out=m.pt", "--noverify"}), folder);
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  std::filesystem::remove(folder + "/m.manifest.json");
  std::string stated = "\"kind\": \"depth\"";
  for (const std::string kind : {"features", "matte", "colour", "scores", "normals", "nothing"}) {
    AlterArchive(folder + "/m.pt", [&](Records& records) {
      std::string& manifest = Content(records, "extra/modelport.manifest.json");
      const size_t at = manifest.find(stated);
      ASSERT_NE(at, manifest.npos);
      const std::string other = absl::StrCat("\"kind\": \"", kind, "\"");
      manifest.replace(at, stated.size(), other);
      stated = other;
    });
    const ToolResult result =
        RunWarmTool("predict", {"--artifact=m.pt", "--input=photo.png", "--size=56", "--out=d.exr"}, folder);
    EXPECT_THAT(result.err, Not(HasSubstr("a bug in Modelport"))) << kind;
    if (result.exit_status != 0) {
      EXPECT_THAT(result.err, testing::AnyOf(HasSubstr("m.pt"), StartsWith("INVALID_ARGUMENT: --out: "))) << kind;
    }
  }
}

TEST(PredictTest, ArtifactsOfOthersAreRefused) {
  const std::string folder = FolderWithPhoto();
  const auto export_to = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = Arguments(DepthModel(), more);
    arguments.push_back("--out=" + out);
    EXPECT_EQ(RunWarmTool("export", arguments, folder).exit_status, 0);
  };
  export_to("plain.pt", {});
  export_to("ready.pt", {"--with_preprocess"});
  const auto predict = [&](const std::string& artifact) {
    return RunWarmTool("predict", {"--artifact=" + artifact, "--input=photo.png", "--size=56", "--out=depth.exr"},
                       folder);
  };
  const ToolResult ready = predict("ready.pt");
  EXPECT_EQ(ready.exit_status, 0) << ready.err;
  EXPECT_THAT(ready.out, HasSubstr("artifact  ready.pt\n"));
  EXPECT_EQ(ReadExr(folder + "/depth.exr").texts.at("modelport/manifestSha256"),
            Sha256Of(ReadFile(folder + "/ready.manifest.json")));
  const std::string bytes = ReadFile(folder + "/ready.pt");
  WriteFile(folder + "/half.pt", bytes.substr(0, bytes.size() / 2));
  WriteFile(folder + "/text.pt", "this is no artifact");
  unlink((folder + "/depth.exr").c_str());
  const auto error = [&](const std::string& artifact) {
    const ToolResult result = predict(artifact);
    EXPECT_EQ(result.exit_status, 1);
    return result.err;
  };
  EXPECT_THAT(error("plain.pt"), AllOf(StartsWith("FAILED_PRECONDITION: plain.pt: takes prepared tensors, not images"),
                                       HasSubstr("--model=" + DepthModel() + " --with_preprocess")));
  EXPECT_THAT(error("half.pt"), StartsWith("DATA_LOSS: half.pt: "));
  EXPECT_THAT(error("text.pt"), StartsWith("INVALID_ARGUMENT: text.pt: not a TorchScript file"));
  EXPECT_THAT(error("none.pt"), StartsWith("NOT_FOUND: none.pt: "));
  EXPECT_THAT(FileNames(folder), Not(testing::Contains("depth.exr")));
  const ToolResult both = RunWarmTool(
      "predict", {"--artifact=ready.pt", "--model=" + DepthModel(), "--input=photo.png", "--size=56"}, folder);
  EXPECT_THAT(both.err, HasSubstr("--artifact and --model do not go together"));
}

}  // namespace
}  // namespace modelport
