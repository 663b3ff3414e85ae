// predict with a model that takes the frames of a shot.
#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <cstdint>
#include <fstream>
#include <string>
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

constexpr int kFrames = 3, kColumns = 45, kRows = 31;

std::string ShotModel() { return ExampleModel("frames of a shot"); }

// A folder with p.0001.png and so on, of noise that differs from frame to frame.
std::string FolderWithShot(const std::string& name) {
  const std::string folder = EmptyFolder(name);
  for (int frame = 1; frame <= kFrames; ++frame) {
    std::vector<uint8_t> rgb(kRows * kColumns * 3);
    for (size_t i = 0; i < rgb.size(); ++i) rgb[i] = static_cast<uint8_t>(i * i * 37 + i * frame * 101);
    const absl::StatusOr<std::string> png = EncodePng(kColumns, kRows, absl::MakeConstSpan(rgb), {});
    EXPECT_THAT(png, IsOk());
    std::ofstream(absl::StrFormat("%s/p.%04d.png", folder, frame), std::ios::binary) << *png;
  }
  return folder;
}

ToolResult PredictShot(const std::string& folder, std::vector<std::string> flags) {
  flags.insert(flags.end(),
               {"--model=" + ShotModel(), "--weights=seeded", "--plugin_path=" + DataPath("models"), "--size=28"});
  return RunWarmTool("predict", flags, folder);
}

at::Tensor DepthIn(const std::string& path) {
  return at::tensor(ReadExr(path).channels.at("depth.Z")).reshape({kRows, kColumns});
}

TEST(PredictShotTest, EachFrameHasTheDepthThatTheModelGivesOfTheWhole) {
  const std::string folder = FolderWithShot("shot");
  const ToolResult exported = RunWarmTool("export",
                                          {"--model=" + ShotModel(), "--weights=seeded", "--noverify",
                                           "--with_preprocess", "--plugin_path=" + DataPath("models"), "--out=m.pt"},
                                          folder);
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  std::vector<at::Tensor> frames;
  for (int frame = 1; frame <= kFrames; ++frame) {
    ASSERT_OK_AND_ASSIGN(ReadImageResult read, ReadImage(absl::StrFormat("%s/p.%04d.png", folder, frame), 1000000));
    auto& bytes = std::get<std::vector<uint8_t>>(read.image.pixels);
    frames.push_back(at::from_blob(bytes.data(), {kRows, kColumns, 3}, at::kByte).permute({2, 0, 1}).clone());
  }
  const auto outputs = torch::jit::load(folder + "/m.pt").forward({at::stack(frames).unsqueeze(0).contiguous(), 28});
  const at::Tensor expected = outputs.toGenericDict().at("depth").toTensor()[0];

  const ToolResult result = PredictShot(folder, {"--input=p.%04d.png", "--out=d.%04d.exr"});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const double range = (expected.max() - expected.min()).item<double>();
  ASSERT_GT(range, 0);
  for (int frame = 1; frame <= kFrames; ++frame) {
    const at::Tensor depth = DepthIn(absl::StrFormat("%s/d.%04d.exr", folder, frame));
    EXPECT_LE((depth - expected[frame - 1]).abs().max().item<double>(), 1e-5 * range) << frame;
  }
  // A frame alone is another shot.
  ASSERT_EQ(PredictShot(folder, {"--input=p.0002.png", "--out=alone.exr"}).exit_status, 0);
  EXPECT_GT((DepthIn(folder + "/alone.exr") - expected[1]).abs().max().item<double>(), 1e-3 * range);
}

TEST(PredictShotTest, WhatAShotDoesNotGiveIsAnError) {
  const std::string folder = FolderWithShot("wrong");
  const std::vector<std::string> before = FileNames(folder);
  const auto error = [&](const std::vector<std::string>& flags) {
    const ToolResult result = PredictShot(folder, flags);
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(FileNames(folder), before);
    return result.err;
  };
  EXPECT_THAT(error({"--input=p.%04d.png", "--cameras=c.json"}), testing::HasSubstr("the model gives no cameras"));
  EXPECT_THAT(error({"--input=p.%04d.png", "--compare=m.pt"}),
              testing::HasSubstr("--compare: " + ShotModel() + " takes a shot as a whole"));
  std::ofstream(folder + "/p.0004.png", std::ios::binary) << MakePng({.width = 20, .height = 30});
  const ToolResult result = PredictShot(folder, {"--input=p.%04d.png", "--out=d.%04d.exr"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, testing::HasSubstr("frames want one size; there are 45 x 31 and 20 x 30"));
}

}  // namespace
}  // namespace modelport
