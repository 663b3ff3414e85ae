// predict with the nodes and models of a family: what each gives for a picture, from TorchScript and from ONNX.
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
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/families/onnx_export.h"
#include "tests/support/case_table.h"
#include "tests/support/test_models.h"
#include "tests/support/tool_process.h"
#include "tools/image/encode_png.h"
#include "tools/image/read_image.h"
#include "tools/image/testing/read_exr.h"
#include "tools/image/testing/sample_images.h"
#include "tools/image/transfer.h"

namespace modelport {
namespace {

using testing::HasSubstr;

constexpr int kWidth = 45, kHeight = 31;

// A slope from 1 to 6 metres.
std::vector<uint16_t> Millimetres() {
  std::vector<uint16_t> depth;
  for (int i = 0; i < kWidth * kHeight; ++i) depth.push_back(static_cast<uint16_t>(1000 + 4 * i));
  return depth;
}

// A folder with photo.png, trimap.png and depth.png of one size, the last in millimetres.
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
  const auto depth = EncodePng(kWidth, kHeight, absl::MakeConstSpan(Millimetres()), {});
  EXPECT_OK(depth);
  std::ofstream(folder + "/depth.png", std::ios::binary) << *depth;
  return folder;
}

ToolResult Export(const std::string& folder, const NukeTestModel& node, const std::vector<std::string>& more) {
  std::vector<std::string> flags = {"--model=" + node.model, "--wrapper=" + node.wrapper, "--weights=seeded",
                                    "--plugin_path=" + DataPath("models")};
  flags.insert(flags.end(), more.begin(), more.end());
  return RunWarmTool("export", flags, folder);
}

ToolResult Predict(const std::string& folder, const std::string& artifact, const std::vector<std::string>& more) {
  std::vector<std::string> flags = {"--artifact=" + artifact};
  flags.insert(flags.end(), more.begin(), more.end());
  const auto is_input = [](const std::string& flag) { return absl::StartsWith(flag, "--input="); };
  if (std::none_of(more.begin(), more.end(), is_input)) flags.emplace_back("--input=photo.png");
  return RunWarmTool("predict", flags, folder);
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

// What OpenVINO computed is what LibTorch did: of the range, what a proof allows where rounding is magnified; and four
// steps of float32, since the output of a small model may be nearly constant.
void ExpectOnnxIsSame(const std::string& onnx, const std::string& torch) {
  const at::Tensor expected = ReadChannels(torch), actual = ReadChannels(onnx);
  ASSERT_EQ(actual.sizes(), expected.sizes());
  const double range = (expected.max() - expected.min()).item<double>();
  const double steps = 4 * std::numeric_limits<float>::epsilon() * expected.abs().max().item<double>();
  EXPECT_LE((actual - expected).abs().max().item<double>(), 1e-3 * range + steps);
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

bool TakesTimestep(const std::string& name) {
  return HasWrapper(name, "NukeBetween") || HasWrapper(name, "NukeFlow") || HasWrapper(name, "NukeRetime");
}
bool TakesTwoImages(const std::string& name) { return TakesTimestep(name) || HasWrapper(name, "NukeMotion"); }
bool TakesTrimap(const std::string& name) { return HasWrapper(name, "NukeMatte"); }
bool TakesCoarseDepth(const std::string& name) { return HasWrapper(name, "NukePromptedDepth"); }

// The flags that give a node what it takes beside or in place of photo.png.
std::vector<std::string> InputsOf(const std::string& name) {
  if (TakesTrimap(name)) return {"--trimap=trimap.png"};
  if (TakesCoarseDepth(name)) return {"--prompt_depth=depth.png"};
  if (TakesTimestep(name)) return {"--input=photo.png,trimap.png", "--between=1"};
  if (TakesTwoImages(name)) return {"--input=photo.png,trimap.png", "--flow"};
  return {};
}

class NodeTest : public testing::TestWithParam<std::string> {};

TEST_P(NodeTest, ItsPictureIsWhatItsCodeGives) {
  const NukeTestModel node = FindNukeTestModel(GetParam());
  const std::string folder = FolderWithPictures("node");
  const ToolResult exported = Export(folder, node, {"--target=nuke", "--out=m.pt", "--noverify"});
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  at::Tensor input = ReadUnit(folder + "/photo.png").unsqueeze(0);
  std::vector<std::string> flags = {"--out=out.exr"};
  const std::vector<std::string> inputs = InputsOf(GetParam());
  flags.insert(flags.end(), inputs.begin(), inputs.end());
  if (TakesTrimap(GetParam())) {
    input = at::cat({input, ReadUnit(folder + "/trimap.png").slice(0, 0, 1).unsqueeze(0)}, 1);
  }
  // All frames around a single one are that one.
  if (HasWrapper(GetParam(), "NukeShot")) input = input.repeat({1, 5, 1, 1});
  if (TakesTwoImages(GetParam())) input = at::cat({input, ReadUnit(folder + "/trimap.png").unsqueeze(0)}, 1);
  if (TakesCoarseDepth(GetParam())) {
    const std::vector<uint16_t> depth = Millimetres();
    const std::vector<float> metres(depth.begin(), depth.end());
    input = at::cat({input, at::tensor(metres).reshape({1, 1, kHeight, kWidth}) / 1000}, 1);
  }
  torch::jit::Module module = torch::jit::load(folder + "/m.pt");
  const auto expect_what_the_code_gives = [&](const std::vector<std::string>& all) {
    const ToolResult result = Predict(folder, "m.pt", all);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    at::Tensor given = module.forward({input}).toTensor()[0];
    // What is behind the colours is for the host.
    if (HasWrapper(GetParam(), "NukeRetime")) given = given.slice(0, 0, 3);
    // Colours are linear in an .exr.
    if (absl::StrContains(ReadFile(folder + "/m.manifest.json"), "\"kind\": \"colour\"")) given = Linear(given);
    const at::Tensor written = ReadChannels(folder + "/out.exr");
    ASSERT_EQ(written.sizes(), given.sizes());
    EXPECT_LE((written - given).abs().max().item<double>(), 1e-5 * (given.max() - given.min()).item<double>());
  };
  expect_what_the_code_gives(flags);
  if (TakesTimestep(GetParam())) {
    std::vector<std::string> quarter = flags;
    quarter.emplace_back("--knob=timestep=0.25");
    module.setattr("timestep", 0.25);
    expect_what_the_code_gives(quarter);
    quarter[0] = "--out=out.%04d.exr";
    quarter[2] = "--between=2";
    EXPECT_THAT(Predict(folder, "m.pt", quarter).err, HasSubstr("--between=2 makes frames at 2 times"));
  }
  flags[0] = "--out=out.png";
  EXPECT_EQ(Predict(folder, "m.pt", flags).exit_status, 0);
}

// Of the hosts of ONNX files, which give one image for one image.
TEST_P(NodeTest, AnOnnxFileIsProvenAndGivesTheSameOrIsRefusedForItsReason) {
  const NukeTestModel node = FindNukeTestModel(GetParam());
  const std::string host = EmptyFolder("host");
  const ToolResult exported =
      Export(host, node, {"--target=unreal", "--out=m.onnx", absl::StrCat("--sizes=H=", kHeight, ",W=", kWidth)});
  const std::string refused =
      Text(OnnxCaseOf(node.model), node.wrapper.empty() ? "refused_host" : "refused_host_" + node.wrapper);
  const nlohmann::json manifest = ProvenManifest(exported, refused, host, "m.onnx");
  if (manifest.is_null()) return;
  const auto channels_in = manifest["interface"]["channels_in"].size();
  const auto channels_out = manifest["interface"]["channels_out"].size();
  const int scale = manifest["interface"]["scale"];
  for (const nlohmann::json& output : manifest["round_trip"]["outputs"]) {
    EXPECT_EQ(output["call"], absl::StrCat("forward([1, ", channels_in, ", ", kHeight, ", ", kWidth, "])"));
    EXPECT_EQ(output["shape"], nlohmann::json({1, channels_out, kHeight * scale, kWidth * scale}));
  }
  EXPECT_TRUE(manifest["knobs"].empty());

  const std::string folder = FolderWithPictures("onnx");
  std::vector<std::string> flags = {"--out=onnx.exr"};
  const std::vector<std::string> inputs = InputsOf(GetParam());
  flags.insert(flags.end(), inputs.begin(), inputs.end());
  const ToolResult result = Predict(folder, host + "/m.onnx", flags);
  if (TakesTimestep(GetParam())) {
    EXPECT_THAT(result.err, HasSubstr("its knob timestep is a constant"));
    return;
  }
  ASSERT_EQ(result.exit_status, 0) << result.err;
  ASSERT_EQ(Export(folder, node, {"--target=nuke", "--out=m.pt", "--noverify"}).exit_status, 0);
  flags[0] = "--out=pt.exr";
  ASSERT_EQ(Predict(folder, "m.pt", flags).exit_status, 0);
  ExpectOnnxIsSame(folder + "/onnx.exr", folder + "/pt.exr");
}

class ImageModelTest : public testing::TestWithParam<std::string> {};

// What predict gives by an ONNX file of the model that prepares images is in `folder`/artifact.exr. Arguments that are
// no images are constants there: a time other than the constant is refused.
void ExpectOnnxGivesTheSame(const std::string& model, const std::string& folder) {
  const std::vector<std::string> options = {"--target=onnx", "--with_preprocess", "--out=m.onnx", "--noverify",
                                            absl::StrCat("--sizes=B=1,H=", kHeight, ",W=", kWidth)};
  const ToolResult exported = Export(folder, {model, ""}, options);
  if (exported.exit_status != 0) return;  // Not all models have such files, as onnx_models_test.cc checks.
  std::vector<std::string> flags = InputsOf(model);
  flags.emplace_back("--out=onnx.exr");
  const ToolResult result = Predict(folder, "m.onnx", flags);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  ExpectOnnxIsSame(folder + "/onnx.exr", folder + "/artifact.exr");
  if (!TakesTimestep(model)) return;
  flags = {"--out=onnx.%04d.exr", flags[0], "--between=2"};
  EXPECT_THAT(Predict(folder, "m.onnx", flags).err, HasSubstr("its argument timestep is the constant 0.5"));
}

// predict builds the model, prepares the image and writes what an artifact that prepares images itself gives.
TEST_P(ImageModelTest, ItsPictureIsThatOfItsArtifacts) {
  const std::string folder = FolderWithPictures("model");
  ASSERT_EQ(Export(folder, {GetParam(), ""}, {"--with_preprocess", "--out=m.pt", "--noverify"}).exit_status, 0);
  const auto manifest = nlohmann::json::parse(ReadFile(folder + "/m.manifest.json"));
  const std::string kind = manifest["interface"]["kind"];
  if (kind == "scores") return;  // It makes no picture.
  std::vector<std::string> flags = InputsOf(GetParam());
  if (HasWrapper(GetParam(), "NukePrompt")) flags = {"--point=20,15", "--box=4,5,30,28"};
  // Small images are quick.
  bool has_size = false;
  for (const auto& input : manifest["entry_points"][0]["inputs"]) {
    const std::string name = input["name"];
    if (absl::EndsWith(name, "size") || name == "side") has_size = true;
  }
  if (has_size) flags.emplace_back("--size=64");
  flags.emplace_back("--out=artifact.exr");
  const ToolResult of_artifact = Predict(folder, "m.pt", flags);
  ASSERT_EQ(of_artifact.exit_status, 0) << of_artifact.err;
  flags.back() = "--out=model.exr";
  flags.insert(flags.end(), {"--model=" + GetParam(), "--weights=seeded", "--plugin_path=" + DataPath("models")});
  if (std::none_of(flags.begin(), flags.end(), [](const auto& flag) { return absl::StartsWith(flag, "--input="); })) {
    flags.emplace_back("--input=photo.png");
  }
  const ToolResult of_model = RunWarmTool("predict", flags, folder);
  ASSERT_EQ(of_model.exit_status, 0) << of_model.err;
  const at::Tensor expected = ReadChannels(folder + "/artifact.exr"), actual = ReadChannels(folder + "/model.exr");
  ASSERT_EQ(actual.sizes(), expected.sizes());
  // A pixel without a point is infinitely far.
  ASSERT_TRUE(actual.isinf().equal(expected.isinf()));
  const at::Tensor known = expected.masked_select(expected.isfinite());
  // Kernels may round differently where tensors lie elsewhere in memory.
  EXPECT_LE((actual.masked_select(expected.isfinite()) - known).abs().max().item<double>(),
            1e-5 * (known.max() - known.min()).item<double>());
  // Features are of an image that the .pt file rounds to bytes after its resize, points have no constant, and that of a
  // size would make a large image of a small one.
  if (kind == "features" || HasWrapper(GetParam(), "NukePrompt") || has_size) return;
  ExpectOnnxGivesTheSame(GetParam(), folder);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ImageModelTest);
INSTANTIATE_TEST_SUITE_P(Models, ImageModelTest, testing::ValuesIn(ImageTestModels()),
                         [](const auto& info) { return info.param; });

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NodeTest);
INSTANTIATE_TEST_SUITE_P(Models, NodeTest, testing::ValuesIn(NukeTestModels()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace modelport
