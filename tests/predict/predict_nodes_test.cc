// predict with artifacts for hosts: what a node gives for a picture, with its knobs, from TorchScript and from ONNX.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/test_models.h"
#include "tests/support/tool_process.h"
#include "tools/image/encode_png.h"
#include "tools/image/read_image.h"
#include "tools/image/testing/read_exr.h"
#include "tools/image/testing/sample_images.h"
#include "tools/image/transfer.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kWidth = 40, kHeight = 30;

// A folder with photo.png and trimap.png of one size.
std::string FolderWithPictures(const std::string& name) {
  const std::string folder = EmptyFolder(name);
  std::ofstream(folder + "/photo.png", std::ios::binary) << MakePng({.width = kWidth, .height = kHeight});
  std::vector<uint8_t> grey;
  for (int i = 0; i < kWidth * kHeight; ++i) {
    const uint8_t value = i % kWidth < 13 ? 0 : i % kWidth < 26 ? 128 : 255;
    grey.insert(grey.end(), 3, value);
  }
  const auto trimap = EncodePng(kWidth, kHeight, absl::MakeConstSpan(grey), {});
  EXPECT_OK(trimap);
  std::ofstream(folder + "/trimap.png", std::ios::binary) << *trimap;
  return folder;
}

ToolResult Export(const std::string& folder, const NukeTestModel& node, const std::vector<std::string>& more) {
  std::vector<std::string> flags = {"--model=" + node.model, "--wrapper=" + node.wrapper, "--weights=seeded",
                                    "--plugin_path=" + DataPath("models")};
  flags.insert(flags.end(), more.begin(), more.end());
  return RunWarmTool("export", flags, folder);
}

ToolResult Predict(const std::string& folder, const std::string& artifact, const std::vector<std::string>& more,
                   const std::map<std::string, std::string>& variables = {}) {
  std::vector<std::string> flags = {"--artifact=" + artifact};
  flags.insert(flags.end(), more.begin(), more.end());
  const auto is_input = [](const std::string& flag) { return absl::StartsWith(flag, "--input="); };
  if (std::none_of(more.begin(), more.end(), is_input)) flags.emplace_back("--input=photo.png");
  return RunWarmTool("predict", flags, folder, variables);
}

// The file as [channels, height, width], 0 to 1.
at::Tensor ReadUnit(const std::string& path) {
  const auto read = ReadImage(path, 1000000);
  EXPECT_OK(read);
  const std::vector<uint8_t>& bytes = std::get<std::vector<uint8_t>>(read->image.pixels);
  const at::Tensor pixels =
      at::from_blob(const_cast<uint8_t*>(bytes.data()), {read->image.height, read->image.width, 3}, at::kByte);
  return pixels.permute({2, 0, 1}).to(at::kFloat) / 255;
}

// The channels of an .exr file of these names, those of a prediction.
at::Tensor ReadChannels(const std::string& path) {
  const ExrContent exr = ReadExr(path);
  std::vector<std::string> names;
  for (const auto& [name, values] : exr.channels) names.push_back(name);
  if (names == std::vector<std::string>{"B", "G", "R"}) names = {"R", "G", "B"};
  // Of motion those into the next image first, as nodes give them.
  std::stable_partition(names.begin(), names.end(),
                        [](const auto& name) { return absl::StartsWith(name, "forward."); });
  std::vector<at::Tensor> channels;
  for (const std::string& name : names) {
    channels.push_back(at::tensor(exr.channels.at(name)).reshape({1, exr.height, exr.width}));
  }
  return at::cat(channels);
}

at::Tensor Linear(const at::Tensor& colours) {
  at::Tensor linear = colours.clone();
  for (float& value : absl::MakeSpan(linear.mutable_data_ptr<float>(), linear.numel()))
    value = static_cast<float>(SrgbToLinear(value));
  return linear;
}

bool HasWrapper(const std::string& name, absl::string_view type) {
  const std::vector<std::string> names = NukeTestModels(type);
  return std::count(names.begin(), names.end(), name) > 0;
}

bool TakesTwoImages(const std::string& name) { return HasWrapper(name, "NukeBetween") || HasWrapper(name, "NukeFlow"); }
bool TakesTrimap(const std::string& name) { return HasWrapper(name, "NukeMatte"); }

class NodeTest : public testing::TestWithParam<std::string> {};

TEST_P(NodeTest, ItsPictureIsWhatItsCodeGives) {
  const NukeTestModel node = FindNukeTestModel(GetParam());
  const std::string folder = FolderWithPictures("node");
  const ToolResult exported = Export(folder, node, {"--target=nuke", "--out=m.pt", "--noverify"});
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  at::Tensor input = ReadUnit(folder + "/photo.png").unsqueeze(0);
  std::vector<std::string> flags = {"--out=out.exr"};
  if (TakesTrimap(GetParam())) {
    input = at::cat({input, ReadUnit(folder + "/trimap.png").slice(0, 0, 1).unsqueeze(0)}, 1);
    flags.emplace_back("--trimap=trimap.png");
  }
  if (TakesTwoImages(GetParam())) {
    input = at::cat({input, ReadUnit(folder + "/trimap.png").unsqueeze(0)}, 1);
    flags.insert(flags.end(), {"--input=photo.png,trimap.png", "--between=1"});
  }
  const ToolResult result = Predict(folder, "m.pt", flags);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  at::Tensor given = torch::jit::load(folder + "/m.pt").forward({input}).toTensor()[0];
  // Colours are linear in an .exr.
  if (absl::StrContains(ReadFile(folder + "/m.manifest.json"), "\"kind\": \"colour\"")) given = Linear(given);
  const at::Tensor written = ReadChannels(folder + "/out.exr");
  ASSERT_EQ(written.sizes(), given.sizes());
  EXPECT_LE((written - given).abs().max().item<double>(), 1e-5 * (given.max() - given.min()).item<double>());
  flags[0] = "--out=out.png";
  EXPECT_EQ(Predict(folder, "m.pt", flags).exit_status, 0);
}

TEST_P(NodeTest, AnOnnxFileGivesTheSame) {
  const NukeTestModel node = FindNukeTestModel(GetParam());
  const std::string folder = FolderWithPictures("onnx");
  const ToolResult exported =
      Export(folder, node, {"--target=unreal", "--out=m.onnx", absl::StrCat("--sizes=H=", kHeight, ",W=", kWidth)});
  if (exported.exit_status != 0) {
    GTEST_SKIP() << "not all models have such files, as //tests/onnx:export_onnx_test checks: " << exported.err;
  }
  ASSERT_EQ(Export(folder, node, {"--target=nuke", "--out=m.pt", "--noverify"}).exit_status, 0);
  std::vector<std::string> flags = {"--out=pt.exr"};
  if (TakesTrimap(GetParam())) flags.emplace_back("--trimap=trimap.png");
  if (TakesTwoImages(GetParam())) flags.insert(flags.end(), {"--input=photo.png,trimap.png", "--between=1"});
  ASSERT_EQ(Predict(folder, "m.pt", flags).exit_status, 0);
  flags[0] = "--out=onnx.exr";
  if (TakesTwoImages(GetParam())) {
    EXPECT_THAT(Predict(folder, "m.onnx", flags).err, HasSubstr("its knob timestep is a constant"));
    return;
  }
  const ToolResult result = Predict(folder, "m.onnx", flags);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const at::Tensor expected = ReadChannels(folder + "/pt.exr"), actual = ReadChannels(folder + "/onnx.exr");
  ASSERT_EQ(actual.sizes(), expected.sizes());
  // Of the range, what a proof allows where rounding is magnified; and four steps of float32.
  const double range = (expected.max() - expected.min()).item<double>();
  const double steps = 4 * std::numeric_limits<float>::epsilon() * expected.abs().max().item<double>();
  EXPECT_LE((actual - expected).abs().max().item<double>(), 1e-3 * range + steps);
}

INSTANTIATE_TEST_SUITE_P(Models, NodeTest, testing::ValuesIn(NukeTestModels()),
                         [](const auto& info) { return info.param; });

NukeTestModel DepthNode() { return {ExampleModel("depth"), ""}; }

TEST(PredictNodesTest, KnobsChangeWhatItGives) {
  const std::string folder = FolderWithPictures("knobs");
  ASSERT_EQ(Export(folder, DepthNode(), {"--target=nuke", "--out=m.pt", "--noverify"}).exit_status, 0);
  ASSERT_EQ(Predict(folder, "m.pt", {"--knob=normalize=1", "--out=out.exr"}).exit_status, 0);
  const ExrContent exr = ReadExr(folder + "/out.exr");
  const auto [least, most] = std::minmax_element(exr.channels.at("depth.Z").begin(), exr.channels.at("depth.Z").end());
  EXPECT_EQ(*least, 0);
  EXPECT_EQ(*most, 1);
  EXPECT_EQ(exr.texts.at("modelport/unit"), "as the knobs make it");
  ASSERT_EQ(Predict(folder, "m.pt", {"--knob=normalize=0", "--out=same.exr"}).exit_status, 0);
  EXPECT_THAT(ReadExr(folder + "/same.exr").texts.at("modelport/unit"), HasSubstr("larger is nearer"));

  const auto error = [&](const std::string& knob) { return Predict(folder, "m.pt", {knob, "--out=x.exr"}).err; };
  EXPECT_THAT(error("--knob=normalise=1"), HasSubstr("m.pt: --knob=normalise=1: no such knob; nearest: normalize"));
  EXPECT_THAT(error("--knob=normalize=2"), HasSubstr("--knob=normalize=2: wants an integer from 0 to 1"));
  EXPECT_THAT(error("--knob=max_size=0.5"), HasSubstr("--knob=max_size=0.5: wants an integer from 0 to 4096"));
  EXPECT_THAT(error("--size=56"), HasSubstr("has no choice of a size but what --knob sets of max_size, convention"));
  EXPECT_THAT(error("--knob=1"), HasSubstr("--knob=1: wants numbers by the names of knobs"));
  EXPECT_THAT(
      RunWarmTool("predict", {"--model=m", "--knob=normalize=1", "--input=photo.png", "--out=x.exr"}, folder).err,
      HasSubstr("--knob changes nothing without --artifact"));
}

TEST(PredictNodesTest, AnOnnxFileSaysWhatItTakes) {
  const std::string folder = FolderWithPictures("fixed");
  ASSERT_EQ(Export(folder, DepthNode(), {"--target=flame", "--sizes=H=31,W=45", "--knob=normalize=1", "--out=m.onnx"})
                .exit_status,
            0);
  const auto error = [&](const std::vector<std::string>& flags,
                         const std::map<std::string, std::string>& variables = {}) {
    const ToolResult result = Predict(folder, "m.onnx", flags, variables);
    EXPECT_EQ(result.exit_status, 1);
    return result.err;
  };
  EXPECT_THAT(error({"--out=x.exr"}), HasSubstr("m.onnx: takes images of 45 x 31, and this one has 40 x 30"));
  EXPECT_THAT(error({"--out=x.exr", "--knob=normalize=0"}), HasSubstr("knobs are constants in an ONNX file"));
  EXPECT_THAT(error({"--out=x.exr"}, {{"MODELPORT_OPENVINO", folder}}),
              AllOf(HasSubstr("ONNX files run in OpenVINO"), HasSubstr("--config=onnx"), Not(HasSubstr("--noverify"))));

  std::ofstream(folder + "/m.onnx", std::ios::binary | std::ios::app) << "\x3a";
  EXPECT_THAT(error({"--out=x.exr"}), HasSubstr("m.onnx: is damaged, or no ONNX file"));
}

TEST(PredictNodesTest, AFileForProgramsTakesNoImages) {
  const std::string folder = FolderWithPictures("programs");
  ASSERT_EQ(Export(folder, DepthNode(), {"--target=onnx", "--out=m.onnx", "--noverify"}).exit_status, 0);
  const ToolResult result = Predict(folder, "m.onnx", {"--out=x.exr"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("m.onnx: takes prepared tensors, not images"), HasSubstr("--with_preprocess")));
}

}  // namespace
}  // namespace modelport
