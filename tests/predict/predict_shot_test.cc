// predict with a model that takes the frames of a shot.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
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

constexpr int kColumns = 45, kRows = 31;

std::string ShotModel() { return ExampleModel("frames of a shot"); }

// A folder with p.0001.png and so on, of noise that differs from frame to frame.
std::string FolderWithShot(const std::string& name, int frames) {
  const std::string folder = EmptyFolder(name);
  for (int frame = 1; frame <= frames; ++frame) {
    std::vector<uint8_t> rgb(kRows * kColumns * 3);
    for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(i * i * 37 + i * frame * 101);
    const absl::StatusOr<std::string> png = EncodePng(kColumns, kRows, absl::MakeConstSpan(rgb), {});
    EXPECT_THAT(png, IsOk());
    std::ofstream(absl::StrFormat("%s/p.%04d.png", folder, frame), std::ios::binary) << *png;
  }
  return folder;
}

// The frame of this number in the folder, [1, 3, H, W] in 0..1.
at::Tensor FrameIn(const std::string& folder, int frame) {
  absl::StatusOr<ReadImageResult> read = ReadImage(absl::StrFormat("%s/p.%04d.png", folder, frame), 1000000);
  EXPECT_THAT(read, IsOk());
  auto& bytes = std::get<std::vector<uint8_t>>(read->image.pixels);
  return at::from_blob(bytes.data(), {1, kRows, kColumns, 3}, at::kByte).permute({0, 3, 1, 2}).to(at::kFloat) / 255;
}

ToolResult PredictShot(const std::string& folder, std::vector<std::string> flags) {
  flags.insert(flags.end(),
               {"--model=" + ShotModel(), "--weights=seeded", "--plugin_path=" + DataPath("models"), "--size=28"});
  return RunWarmTool("predict", flags, folder);
}

at::Tensor DepthIn(const std::string& path) {
  return at::tensor(ReadExr(path).channels.at("depth.Z")).reshape({kRows, kColumns});
}

// Writes the artifact with preprocessing to `folder`.
torch::jit::Module ExportShotModel(const std::string& folder) {
  const ToolResult exported = RunWarmTool("export",
                                          {"--model=" + ShotModel(), "--weights=seeded", "--noverify",
                                           "--with_preprocess", "--plugin_path=" + DataPath("models"), "--out=m.pt"},
                                          folder);
  EXPECT_EQ(exported.exit_status, 0) << exported.err;
  return torch::jit::load(folder + "/m.pt");
}

at::Tensor DepthOf(torch::jit::Module& module, const at::Tensor& shot, int64_t size) {
  return module.forward({shot, size}).toGenericDict().at("depth").toTensor();
}

double RangeOf(const at::Tensor& tensor) { return (tensor.max() - tensor.min()).item<double>(); }

class PredictShotLengthTest : public testing::TestWithParam<int> {};

// Of one window, and of two, which predict takes frame by frame.
INSTANTIATE_TEST_SUITE_P(All, PredictShotLengthTest, testing::Values(3, 36));

TEST_P(PredictShotLengthTest, EachFrameHasTheDepthThatTheModelGivesOfTheWhole) {
  const int count = GetParam();
  const std::string folder = FolderWithShot(absl::StrFormat("shot%d", count), count);
  std::vector<at::Tensor> frames;
  for (int frame = 1; frame <= count; ++frame) {
    frames.push_back((FrameIn(folder, frame)[0] * 255).round().to(at::kByte));
  }
  torch::jit::Module module = ExportShotModel(folder);
  const at::Tensor expected = DepthOf(module, at::stack(frames).unsqueeze(0).contiguous(), 28)[0];

  const ToolResult result = PredictShot(folder, {"--input=p.%04d.png", "--out=d.%04d.exr"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const double range = RangeOf(expected);
  ASSERT_GT(range, 0);
  for (int frame = 1; frame <= count; ++frame) {
    const at::Tensor depth = DepthIn(absl::StrFormat("%s/d.%04d.exr", folder, frame));
    EXPECT_LE((depth - expected[frame - 1]).abs().max().item<double>(), 1e-5 * range) << frame;
  }
  // A frame alone is another shot.
  ASSERT_EQ(PredictShot(folder, {"--input=p.0002.png", "--out=alone.exr"}).exit_status, 0);
  EXPECT_GT((DepthIn(folder + "/alone.exr") - expected[1]).abs().max().item<double>(), 1e-3 * range);
}

// The numbers of a 16-bit PNG of grey, from 0 to 1.
at::Tensor GreyIn(const std::string& path) {
  absl::StatusOr<ReadImageResult> read = ReadImage(path, 1000000);
  EXPECT_THAT(read, IsOk());
  auto& numbers = std::get<std::vector<float>>(read->image.pixels);
  return at::from_blob(numbers.data(), {kRows, kColumns, 3}, at::kFloat).select(2, 0).clone();
}

TEST(PredictShotTest, PicturesHaveOneScale) {
  constexpr int kCount = 36;
  const std::string folder = FolderWithShot("scale", kCount);
  ASSERT_EQ(PredictShot(folder, {"--input=p.%04d.png", "--out=d.%04d.exr"}).exit_status, 0);
  std::vector<at::Tensor> depth;
  for (int frame = 1; frame <= kCount; ++frame)
    depth.push_back(DepthIn(absl::StrFormat("%s/d.%04d.exr", folder, frame)));
  const auto expect_scale = [&](const at::Tensor& first) {
    const float least = first.min().item<float>(), most = first.max().item<float>();
    for (int frame = 1; frame <= kCount; ++frame) {
      const at::Tensor expected = ((depth[frame - 1] - least) / (most - least)).clamp(0, 1);
      const at::Tensor grey = GreyIn(absl::StrFormat("%s/g.%04d.png", folder, frame));
      EXPECT_LE((grey - expected).abs().max().item<double>(), 1e-4) << frame;
    }
  };
  // A shot of two windows, of which the first is finished but for its last frames.
  const std::vector<std::string> flags = {"--input=p.%04d.png", "--out=g.%04d.png", "--resume=state"};
  const ToolResult whole = PredictShot(folder, flags);
  ASSERT_EQ(whole.exit_status, 0) << whole.err;
  EXPECT_THAT(whole.out, testing::HasSubstr("all files have the scale of the first ones, "));
  EXPECT_THAT(whole.out, testing::HasSubstr("(36 images)"));
  const at::Tensor first = at::stack(std::vector<at::Tensor>(depth.begin(), depth.begin() + 24));
  expect_scale(first);
  // Also in frames that another run goes on with.
  const std::string last = absl::StrFormat("%s/p.%04d.png", folder, kCount), frame = ReadFile(last);
  std::ofstream(last, std::ios::binary) << "no image";
  EXPECT_EQ(PredictShot(folder, flags).exit_status, 1);
  std::ofstream(last, std::ios::binary) << frame;
  EXPECT_FALSE(FileNames(folder + "/state").empty());
  ASSERT_EQ(PredictShot(folder, flags).exit_status, 0);
  expect_scale(first);
}

TEST(PredictShotTest, ANodeGetsTheFramesAroundEach) {
  constexpr int kCount = 4;
  const std::string folder = FolderWithShot("node", kCount);
  const ToolResult exported =
      RunWarmTool("export",
                  {"--model=" + ShotModel(), "--weights=seeded:8", "--noverify", "--target=nuke", "--wrapper=shot",
                   "--plugin_path=" + DataPath("models"), "--out=m.pt"},
                  folder);
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  const ToolResult result =
      RunWarmTool("predict", {"--artifact=m.pt", "--input=p.%04d.png", "--out=d.%04d.exr"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  torch::jit::Module module = torch::jit::load(folder + "/m.pt");
  for (int frame = 1; frame <= kCount; ++frame) {
    std::vector<at::Tensor> frames;
    // Before the first and behind the last there are none.
    for (const int offset : {0, -2, -1, 1, 2}) frames.push_back(FrameIn(folder, std::clamp(frame + offset, 1, kCount)));
    const at::Tensor expected = module.forward({at::cat(frames, 1)}).toTensor()[0][0];
    ASSERT_GT(RangeOf(expected), 0);
    const at::Tensor depth = DepthIn(absl::StrFormat("%s/d.%04d.exr", folder, frame));
    EXPECT_LE((depth - expected).abs().max().item<double>(), 1e-5 * RangeOf(expected)) << frame;
  }
}

// Gives the model a shot in parts of so many frames. Returns the depth of all, and how many frames were held at most.
std::pair<at::Tensor, int64_t> InParts(torch::jit::Module& module, const at::Tensor& shot, int64_t part, int64_t size) {
  std::vector<at::Tensor> depth;
  std::vector<c10::IValue> state;
  int64_t most = 0;
  for (int64_t start = 0; start < shot.size(1); start += part) {
    std::vector<c10::IValue> inputs = {shot.slice(1, start, start + part)};
    inputs.insert(inputs.end(), state.begin(), state.end());
    inputs.insert(inputs.end(), {start + part >= shot.size(1), size});
    const auto result = module.get_method(state.empty() ? "begin_shot" : "continue_shot")(inputs).toTuple();
    depth.push_back(result->elements()[0].toTensor());
    state.assign(result->elements().begin() + 1, result->elements().end());
    most = std::max(most, state[0].toTensor().size(1) + state[1].toTensor().size(1));
  }
  return {at::cat(depth, 1), most};
}

TEST(PredictShotTest, AShotInPartsHasTheDepthOfTheWhole) {
  torch::jit::Module module = ExportShotModel(EmptyFolder("parts"));
  // A frame alone; one window that is filled; two; a full one; windows that have all, some or none of the last frames for
  // themselves.
  for (const int64_t count : {1, 2, 22, 23, 31, 32, 33, 44, 45, 53, 54, 55, 66, 67, 77}) {
    at::Tensor shot = at::arange(count * 3 * 15 * 17).mul(97).remainder(251).to(at::kByte);
    shot = shot.reshape({1, count, 3, 15, 17});
    const at::Tensor whole = DepthOf(module, shot, 14);
    ASSERT_GT(RangeOf(whole), 0);
    for (const int64_t part : {1, 7, 40}) {
      const auto [depth, most] = InParts(module, shot, part, 14);
      ASSERT_EQ(depth.sizes(), whole.sizes());
      EXPECT_LE((depth - whole).abs().max().item<double>(), 1e-5 * RangeOf(whole)) << count << " in parts of " << part;
      EXPECT_LE(most, 31) << count << " in parts of " << part;
    }
  }
}

TEST(PredictShotTest, WhatAShotDoesNotGiveIsAnError) {
  const std::string folder = FolderWithShot("wrong", 3);
  const std::vector<std::string> before = FileNames(folder);
  const auto error = [&](const std::vector<std::string>& flags) {
    const ToolResult result = PredictShot(folder, flags);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(FileNames(folder), before);
    return result.err;
  };
  EXPECT_THAT(error({"--input=p.%04d.png", "--cameras=c.json"}),
              testing::HasSubstr("--cameras and --points: " + ShotModel() + " takes the frames of a shot"));
  EXPECT_THAT(error({"--input=p.%04d.png", "--compare=m.pt"}),
              testing::HasSubstr("--compare: " + ShotModel() + " takes the frames of a shot"));
  EXPECT_THAT(error({"--input=p.%04d.png", "--out=d.%04d.exr", "--tile=32"}),
              testing::HasSubstr("--tile: " + ShotModel() + " takes the frames of a shot"));
  std::ofstream(folder + "/p.0004.png", std::ios::binary) << MakePng({.width = 20, .height = 30});
  const ToolResult result = PredictShot(folder, {"--input=p.%04d.png", "--out=d.%04d.exr"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, testing::HasSubstr("p.0004.png: frames want one size; there are 45 x 31 and 20 x 30\n"
                                             "  written before that: 0 of 4 frames"));
}

TEST(PredictShotTest, WhatIsFinishedBeforeAnErrorStays) {
  const std::string folder = FolderWithShot("broken", 34);
  std::ofstream(folder + "/p.0034.png", std::ios::binary) << "no image";
  const ToolResult result = PredictShot(folder, {"--input=p.%04d.png", "--out=d.%04d.exr"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, testing::HasSubstr("written before that: 24 of 34 frames"));
  // d.0001.exr to d.0024.exr beside the frames.
  EXPECT_EQ(FileNames(folder).size(), 34 + 24);
}

TEST(PredictShotTest, AShotGoesOnWhereItWasStopped) {
  constexpr int kCount = 60;
  const std::string folder = FolderWithShot("resumed", kCount);
  const auto depth = [&](int frame) { return absl::StrFormat("%s/d.%04d.exr", folder, frame); };
  const std::vector<std::string> flags = {"--input=p.%04d.png", "--out=d.%04d.exr", "--resume=state"};
  ASSERT_EQ(PredictShot(folder, {"--input=p.%04d.png", "--out=d.%04d.exr"}).exit_status, 0);
  std::vector<at::Tensor> whole;
  for (int frame = 1; frame <= kCount; ++frame) whole.push_back(DepthIn(depth(frame)));
  const double range = RangeOf(at::stack(whole));

  // Stopped at two frames, of which the first has no window before it.
  for (const auto& [stop, written] : {std::pair{20, 0}, std::pair{56, 46}}) {
    const std::string path = absl::StrFormat("%s/p.%04d.png", folder, stop), frame = ReadFile(path);
    std::ofstream(path, std::ios::binary) << "no image";
    const ToolResult stopped = PredictShot(folder, flags);
    EXPECT_EQ(stopped.exit_status, 1);
    EXPECT_THAT(stopped.err, testing::HasSubstr(absl::StrFormat("written before that: %d of 60 frames", written)));
    std::ofstream(path, std::ios::binary) << frame;
  }
  EXPECT_THAT(FileNames(folder + "/state"), testing::ElementsAre("shot_000054.safetensors"));
  const ToolResult other = PredictShot(folder, {"--input=p.%04d.png", "--out=e.%04d.exr", "--resume=state"});
  EXPECT_EQ(other.exit_status, 1);
  EXPECT_THAT(other.err, testing::HasSubstr("state: is of another run"));

  for (int number = 1; number <= kCount; ++number) std::filesystem::remove(depth(number));
  const ToolResult result = PredictShot(folder, flags);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder + "/state"));
  for (int number = 1; number <= kCount; ++number) {
    // What the stopped run had written is not made again.
    EXPECT_EQ(std::filesystem::exists(depth(number)), number > 46) << number;
    if (number > 46) {
      EXPECT_LE((DepthIn(depth(number)) - whole[number - 1]).abs().max().item<double>(), 1e-6 * range) << number;
    }
  }
}

TEST(PredictShotTest, FramesThatAreDrawnInAnotherWayAreAnotherRun) {
  const std::string folder = FolderWithShot("drawn", 34);
  std::ofstream(folder + "/p.0034.png", std::ios::binary) << "no image";
  const auto error = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--input=p.%04d.png", "--out=d.%04d.png", "--resume=state"});
    return PredictShot(folder, more).err;
  };
  const auto is_another = testing::HasSubstr("state: is of another run");
  EXPECT_THAT(error({"--range=0,2"}), testing::HasSubstr("written before that: 24 of 34 frames"));
  EXPECT_THAT(error({"--range=0,3"}), is_another);
  EXPECT_THAT(error({"--range=0,2", "--colours=turbo"}), is_another);
  EXPECT_THAT(error({}), is_another);
  EXPECT_THAT(error({"--range=0,2"}), testing::HasSubstr("p.0034.png"));
}

TEST(PredictShotTest, AnOnnxFileKeepsNothingToGoOnFrom) {
  const std::string folder = FolderWithShot("onnx", 2);
  const ToolResult exported =
      RunWarmTool("export",
                  {"--model=" + ShotModel(), "--weights=seeded", "--noverify", "--with_preprocess", "--target=onnx",
                   absl::StrFormat("--sizes=B=1,T=2,H=%d,W=%d", kRows, kColumns), "--plugin_path=" + DataPath("models"),
                   "--out=m.onnx"},
                  folder);
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  const ToolResult result =
      RunWarmTool("predict", {"--artifact=m.onnx", "--input=p.%04d.png", "--out=d.%04d.exr", "--resume=state"}, folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, testing::HasSubstr("--resume: m.onnx takes all frames of a shot at once"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/state"));
}

TEST(PredictShotTest, AFolderThatIsNoStateIsAnError) {
  const std::string folder = FolderWithShot("no_state", 2);
  const std::vector<std::string> flags = {"--input=p.%04d.png", "--out=d.%04d.exr", "--resume=state"};
  std::ofstream(folder + "/state") << "a file";
  EXPECT_THAT(PredictShot(folder, flags).err, testing::HasSubstr("state: --resume wants a folder, and this is a file"));
  std::filesystem::remove(folder + "/state");
  std::filesystem::create_directory(folder + "/state");
  const std::string header = R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}} )";
  std::ofstream(folder + "/state/shot_000001.safetensors", std::ios::binary)
      << static_cast<char>(header.size()) << std::string(7, '\0') << header << "abcd";
  EXPECT_THAT(PredictShot(folder, flags).err, testing::HasSubstr("is no state of a shot that predict wrote"));
  const ToolResult still = RunWarmTool("predict",
                                       {"--model=" + DepthModel(), "--weights=seeded", "--input=p.0001.png",
                                        "--resume=s", "--out=d.exr", "--plugin_path=" + DataPath("models")},
                                       folder);
  EXPECT_THAT(still.err, testing::HasSubstr("--resume: " + DepthModel() + " does not take the frames of a shot"));
  // A shot that is one window needs no state.
  std::filesystem::remove_all(folder + "/state");
  EXPECT_EQ(PredictShot(folder, flags).exit_status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder + "/state"));
}

}  // namespace
}  // namespace modelport
