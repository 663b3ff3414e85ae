// predict with a model that makes a matte of what points and a box mean, and with one that refines a coarse depth.
#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"
#include "tools/image/encode_png.h"
#include "tools/image/read_image.h"
#include "tools/image/testing/read_exr.h"
#include "tools/image/testing/sample_images.h"

namespace modelport {
namespace {

using testing::HasSubstr;

constexpr int kWidth = 40, kHeight = 30;

std::string PromptModel() { return ExampleModel("matte of points"); }

std::string FolderWithPhoto(const std::string& name) {
  const std::string folder = EmptyFolder(name);
  std::ofstream(folder + "/photo.png", std::ios::binary) << MakePng({.width = kWidth, .height = kHeight});
  return folder;
}

ToolResult Export(const std::string& folder, const std::vector<std::string>& more) {
  std::vector<std::string> flags = {"--model=" + PromptModel(), "--weights=seeded", "--noverify",
                                    "--plugin_path=" + DataPath("models")};
  flags.insert(flags.end(), more.begin(), more.end());
  return RunWarmTool("export", flags, folder);
}

ToolResult Predict(const std::string& folder, const std::vector<std::string>& flags,
                   const std::string& model = PromptModel()) {
  std::vector<std::string> all = {"--model=" + model, "--weights=seeded", "--plugin_path=" + DataPath("models"),
                                  "--input=photo.png"};
  all.insert(all.end(), flags.begin(), flags.end());
  return RunWarmTool("predict", all, folder);
}

// The matte that predict writes with these flags.
at::Tensor Matte(const std::string& folder, std::vector<std::string> flags) {
  flags.insert(flags.end(), {"--size=64", "--out=matte.exr"});
  const ToolResult result = Predict(folder, flags);
  EXPECT_EQ(result.exit_status, 0) << result.err;
  const ExrContent exr = ReadExr(folder + "/matte.exr");
  return at::tensor(exr.channels.at("A")).reshape({kHeight, kWidth});
}

double Largest(const at::Tensor& difference) { return difference.abs().max().item<double>(); }

// Of seeded weights nothing is meant, but where points are changes what comes out.
constexpr double kSeen = 1e-4;

TEST(PredictPromptTest, TheMatteIsTheModels) {
  const std::string folder = FolderWithPhoto("model");
  ASSERT_EQ(Export(folder, {"--with_preprocess", "--out=m.pt"}).exit_status, 0);
  ASSERT_OK_AND_ASSIGN(ReadImageResult read, ReadImage(folder + "/photo.png", 1000000));
  auto& bytes = std::get<std::vector<uint8_t>>(read.image.pixels);
  const at::Tensor image = at::from_blob(bytes.data(), {1, kHeight, kWidth, 3}, at::kByte).permute({0, 3, 1, 2});
  const at::Tensor points = at::tensor({4.f, 3.f, 30.f, 25.f, 12.f, 7.f, 20.f, 21.f}).reshape({1, 4, 2});
  const at::Tensor labels = at::tensor({2.f, 3.f, 1.f, 0.f}).reshape({1, 4});
  const auto outputs = torch::jit::load(folder + "/m.pt").forward({image.contiguous(), points, labels, 64});
  const at::Tensor expected = outputs.toGenericDict().at("matte").toTensor()[0];
  const at::Tensor matte = Matte(folder, {"--point=12,7", "--box=4,3,30,25", "--point=20,21,0"});
  EXPECT_LE(Largest(matte - expected), 1e-5);
}

TEST(PredictPromptTest, EachPartOfThePromptCounts) {
  const std::string folder = FolderWithPhoto("parts");
  const at::Tensor one = Matte(folder, {"--point=12,7"});
  EXPECT_GE(one.min().item<double>(), 0);
  EXPECT_LE(one.max().item<double>(), 1);
  EXPECT_GT(Largest(Matte(folder, {"--point=30,7"}) - one), kSeen);
  EXPECT_GT(Largest(Matte(folder, {"--point=12,20"}) - one), kSeen);
  EXPECT_GT(Largest(Matte(folder, {"--point=12,7,0"}) - one), kSeen);
  const at::Tensor two = Matte(folder, {"--point=12,7", "--point=30,20"});
  EXPECT_GT(Largest(two - one), kSeen);
  EXPECT_GT(Largest(Matte(folder, {"--point=12,7", "--point=30,20", "--box=1,1,39,29"}) - two), kSeen);
}

TEST(PredictPromptTest, TheNodesKnobsSayTheSame) {
  const std::string folder = FolderWithPhoto("node");
  ASSERT_EQ(Export(folder, {"--target=nuke", "--out=node.pt"}).exit_status, 0);
  const auto node = [&](const std::string& knobs) {
    const ToolResult result = RunWarmTool(
        "predict", {"--artifact=node.pt", "--input=photo.png", "--knob=side=64," + knobs, "--out=node.exr"}, folder);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return at::tensor(ReadExr(folder + "/node.exr").channels.at("A")).reshape({kHeight, kWidth});
  };
  // A node counts from the bottom.
  EXPECT_LE(Largest(node("point_1_x=0.25,point_1_y=0.8") - Matte(folder, {"--point=10,6"})), 1e-4);
  EXPECT_LE(Largest(node("point_1_x=0.25,point_1_y=0.8,point_8_is=1,point_8_x=0.5,point_8_y=0.1,box=1,box_left=0.1,"
                         "box_right=0.9,box_bottom=0.2,box_top=0.7") -
                    Matte(folder, {"--point=10,6", "--point=20,27,0", "--box=4,9,36,24"})),
            1e-4);
  // All ten, of which each stands elsewhere.
  std::string knobs;
  std::vector<std::string> flags;
  for (int i = 1; i <= 10; ++i) {
    const int x = 4 * (i - 1) + 1, y = 28 - 2 * i;
    absl::StrAppend(&knobs, i == 1 ? "" : ",", "point_", i, "_is=", 1 + i % 2, ",point_", i,
                    "_x=", static_cast<double>(x) / kWidth, ",point_", i, "_y=", 1 - static_cast<double>(y) / kHeight);
    flags.push_back(absl::StrCat("--point=", x, ",", y, i % 2 == 0 ? ",0" : ""));
  }
  EXPECT_LE(Largest(node(knobs) - Matte(folder, flags)), 1e-4);
  const at::Tensor hard = node("hard_edge=1"), soft = node("hard_edge=0");
  EXPECT_TRUE(hard.equal((soft > 0.5).to(at::kFloat)));
  EXPECT_EQ(Largest(node("point_1_is=0")), 0);
}

// Red, green and blue of a pixel.
std::vector<int> ColourAt(const Image& image, int x, int y) {
  const uint8_t* const pixel = &std::get<std::vector<uint8_t>>(image.pixels)[3 * (y * image.width + x)];
  return {pixel[0], pixel[1], pixel[2]};
}

TEST(PredictPromptTest, ThePictureShowsThePrompt) {
  const std::string folder = FolderWithPhoto("prompt");
  const ToolResult result = Predict(
      folder, {"--point=12,7", "--point=20,21,0", "--box=4,3,30,25", "--size=64", "--out=both.png", "--side_by_side"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  ASSERT_OK_AND_ASSIGN(const ReadImageResult both, ReadImage(folder + "/both.png", 1000000));
  // A caption says that the weights are seeded, which is wider.
  const int left = (both.image.width - 2 * kWidth) / 2, right = left + kWidth;
  const std::vector<int> meant = {40, 255, 80}, not_meant = {60, 120, 255};
  EXPECT_EQ(ColourAt(both.image, right + 12, 7), meant);
  EXPECT_EQ(ColourAt(both.image, right + 20, 21), not_meant);
  EXPECT_EQ(ColourAt(both.image, right + 4, 14), meant);   // The left edge of the box.
  EXPECT_EQ(ColourAt(both.image, right + 17, 3), meant);   // Its upper one.
  EXPECT_NE(ColourAt(both.image, right + 12, 14), meant);  // Within it.
  EXPECT_NE(ColourAt(both.image, left + 12, 7), meant);    // The image itself.
}

TEST(PredictPromptTest, ThePictureHasTheImageBesideIt) {
  const std::string folder = FolderWithPhoto("picture");
  const ToolResult result = Predict(folder, {"--point=12,7", "--size=64", "--out=both.png", "--side_by_side"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  ASSERT_OK_AND_ASSIGN(const ReadImageResult both, ReadImage(folder + "/both.png", 1000000));
  // A caption says that the weights are seeded, which is wider.
  EXPECT_GE(both.image.width, 2 * kWidth);
  EXPECT_GT(both.image.height, kHeight);
  // One run writes the matte and this picture.
  const std::string picture = ReadFile(folder + "/both.png");
  ASSERT_EQ(Predict(folder, {"--point=12,7", "--size=64", "--out=alone.exr"}).exit_status, 0);
  ASSERT_EQ(Predict(folder, {"--point=12,7", "--size=64", "--out=matte.exr", "--overlay=seen.png"}).exit_status, 0);
  EXPECT_EQ(ReadFile(folder + "/seen.png"), picture);
  EXPECT_EQ(ReadFile(folder + "/matte.exr"), ReadFile(folder + "/alone.exr"));
  for (const char* overlay : {"seen.exr", "m.png"}) {
    const std::string flag = absl::StrCat("--overlay=", overlay);
    EXPECT_THAT(Predict(folder, {"--point=12,7", "--size=64", "--out=m.png", flag}).err,
                HasSubstr("--overlay: wants a .png file other than that of --out"));
  }
}

TEST(PredictPromptTest, WrongPromptsSayWhatIsWanted) {
  const std::string folder = FolderWithPhoto("wrong");
  const auto error = [&](const std::vector<std::string>& flags, const std::string& model = PromptModel()) {
    std::vector<std::string> all = {"--size=64", "--out=m.png"};
    all.insert(all.end(), flags.begin(), flags.end());
    const ToolResult result = Predict(folder, all, model);
    EXPECT_EQ(result.exit_status, 1);
    return result.err;
  };
  EXPECT_THAT(error({}), HasSubstr("--point is missing: " + PromptModel() + " makes a matte of what is meant"));
  EXPECT_THAT(error({"--point=12"}), HasSubstr("--point=12: wants X,Y in pixels, such as 200,150"));
  EXPECT_THAT(error({"--box=3,4,1,9"}), HasSubstr("--box=3,4,1,9: wants LEFT,TOP,RIGHT,BOTTOM in pixels"));
  EXPECT_THAT(error({"--point=12,31"}), HasSubstr("the point 12,31 is outside of the image, which has 40 x 30 pixels"));
  EXPECT_THAT(error({"--box=1,2,41,9"}), HasSubstr("the corner of the box 41,9 is outside of the image"));
  EXPECT_THAT(error({"--point=12,7"}, DepthModel()), HasSubstr("--point and --box: " + DepthModel() + " takes none"));
  EXPECT_THAT(error({"--point=12,7", "--trimap=photo.png"}),
              HasSubstr("--point and --trimap do not go together: a prompt says what a matte is of"));
  EXPECT_THAT(FileNames(folder), testing::ElementsAre("photo.png"));
}

std::string RefiningModel() { return ExampleModel("depth of a coarse one"); }

// A folder with photo.png, and with lidar.png of eight by six pixels, in millimetres.
std::string FolderWithCoarseDepth(const std::string& name) {
  const std::string folder = FolderWithPhoto(name);
  std::vector<uint16_t> millimetres;
  for (int i = 0; i < 48; ++i) millimetres.push_back(static_cast<uint16_t>(2000 + 25 * i));
  const absl::StatusOr<std::string> png = EncodePng(8, 6, absl::MakeConstSpan(millimetres), {});
  EXPECT_THAT(png, IsOk());
  std::ofstream(folder + "/lidar.png", std::ios::binary) << *png;
  return folder;
}

TEST(PredictPromptDepthTest, TheDepthIsWhatTheArtifactGives) {
  const std::string folder = FolderWithCoarseDepth("refined");
  const ToolResult exported = RunWarmTool("export",
                                          {"--model=" + RefiningModel(), "--weights=seeded", "--noverify",
                                           "--with_preprocess", "--plugin_path=" + DataPath("models"), "--out=m.pt"},
                                          folder);
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  const ToolResult result = RunWarmTool(
      "predict", {"--artifact=m.pt", "--input=photo.png", "--prompt_depth=lidar.png", "--size=28", "--out=depth.exr"},
      folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("metres"));
  ASSERT_OK_AND_ASSIGN(const ReadImageResult photo, ReadImage(folder + "/photo.png", 10000));
  const std::vector<uint8_t>& bytes = std::get<std::vector<uint8_t>>(photo.image.pixels);
  const at::Tensor x = at::from_blob(const_cast<uint8_t*>(bytes.data()), {1, kHeight, kWidth, 3}, at::kByte)
                           .permute({0, 3, 1, 2})
                           .contiguous();
  std::vector<float> metres;
  for (int i = 0; i < 48; ++i) metres.push_back(static_cast<float>(2000 + 25 * i) / 1000.0f);
  torch::jit::Module module = torch::jit::load(folder + "/m.pt");
  const at::Tensor expected =
      module.forward({x, at::tensor(metres).reshape({1, 1, 6, 8}), int64_t{28}}).toTensor().flatten();
  const at::Tensor written = at::tensor(ReadExr(folder + "/depth.exr").channels.at("depth.Z"));
  EXPECT_LE((written - expected).abs().max().item<double>(), 1e-5);
  EXPECT_GE(written.min().item<double>(), 2 - 1e-5);
  EXPECT_LE(written.max().item<double>(), 3.175 + 1e-5);
}

TEST(PredictPromptDepthTest, WhatCannotBeUsedIsToldFirst) {
  const std::string folder = FolderWithCoarseDepth("unusable");
  const auto error = [&](const std::vector<std::string>& more, const std::string& model = RefiningModel()) {
    std::vector<std::string> flags = {"--model=" + model, "--weights=seeded", "--plugin_path=" + DataPath("models"),
                                      "--input=photo.png", "--out=depth.exr"};
    flags.insert(flags.end(), more.begin(), more.end());
    const ToolResult result = RunWarmTool("predict", flags, folder);
    EXPECT_EQ(result.exit_status, 1);
    return result.err;
  };
  EXPECT_THAT(error({}), HasSubstr("--prompt_depth is missing: " + RefiningModel() +
                                   " takes an image and a coarse depth of it: an EXR file in metres"));
  EXPECT_THAT(error({"--prompt_depth=photo.png"}), HasSubstr("photo.png: has 8 bits"));
  EXPECT_THAT(error({"--prompt_depth=lidar.png"}, DepthModel()),
              HasSubstr("--prompt_depth: " + DepthModel() + " takes none"));
  EXPECT_THAT(error({"--prompt_depth=lidar.png", "--trimap=lidar.png"}),
              HasSubstr("--trimap: " + RefiningModel() + " takes none"));
  EXPECT_THAT(FileNames(folder), testing::UnorderedElementsAre("photo.png", "lidar.png"));
}

}  // namespace
}  // namespace modelport
