// export --target=onnx of every test model: what OpenVINO computes of the file is what the module computes.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/case_table.h"
#include "tests/support/examples.h"
#include "tests/support/test_models.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

ToolResult Export(const std::string& model, const std::vector<std::string>& flags, const std::string& folder,
                  const std::map<std::string, std::string>& variables = {}) {
  std::vector<std::string> arguments = {"--model=" + model, "--weights=seeded", "--target=onnx",
                                        "--plugin_path=" + DataPath("models")};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return RunWarmTool("export", arguments, folder, variables);
}

nlohmann::json Manifest(const std::string& path) { return nlohmann::json::parse(ReadFile(path)); }

// What models/FAMILY/testdata/onnx.txt says of a model: sizes that have to be fixed, or why it has no file.
Case CaseOf(const std::string& model) {
  for (const Case& one : ReadFamilyTables("onnx.txt")) {
    if (Text(one, "model") == model) return one;
  }
  return {};
}

class OnnxModelTest : public testing::TestWithParam<std::string> {};

TEST_P(OnnxModelTest, IsProvenOrRefusedForItsReason) {
  const Case stated = CaseOf(GetParam());
  const std::string folder = EmptyFolder("onnx"), sizes = Text(stated, "sizes"), refused = Text(stated, "refused");
  const ToolResult result = Export(
      GetParam(), sizes.empty() ? std::vector<std::string>() : std::vector<std::string>{"--sizes=" + sizes}, folder);
  if (!refused.empty()) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr(refused));
    EXPECT_THAT(FileNames(folder), testing::IsEmpty());
    return;
  }
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(FileNames(folder), ElementsAre(GetParam() + ".onnx", GetParam() + ".onnx.manifest.json"));
  const nlohmann::json manifest = Manifest(folder + "/" + GetParam() + ".onnx.manifest.json");
  EXPECT_EQ(manifest["target"], "onnx");
  EXPECT_EQ(manifest["opset"], 17);
  EXPECT_EQ(manifest["round_trip"]["proven"], true);
  EXPECT_THAT(manifest["round_trip"]["runtime"], testing::StartsWith("OpenVINO "));
  EXPECT_EQ(manifest["entry_points"].size(), 1);
}

TEST_P(OnnxModelTest, IsProvenInFloat16) {
  const Case stated = CaseOf(GetParam());
  const std::string sizes = Text(stated, "sizes");
  if (!Text(stated, "refused").empty()) GTEST_SKIP() << "has no file";
  const std::string folder = EmptyFolder("float16");
  std::vector<std::string> flags = {"--dtype=float16", "--out=m.onnx"};
  if (!sizes.empty()) flags.push_back("--sizes=" + sizes);
  const ToolResult result = Export(GetParam(), flags, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const nlohmann::json manifest = Manifest(folder + "/m.onnx.manifest.json");
  EXPECT_EQ(manifest["dtype"], "float16");
  EXPECT_EQ(manifest["round_trip"]["proven"], true);
  EXPECT_EQ(manifest["entry_points"][0]["inputs"][0]["dtype"], "float32");
  EXPECT_EQ(manifest["entry_points"][0]["outputs"][0]["dtype"], "float32");
}

INSTANTIATE_TEST_SUITE_P(Models, OnnxModelTest, testing::ValuesIn(TestModels()),
                         [](const auto& info) { return info.param; });

TEST(ExportOnnxTest, EqualExportsAreEqualBytesAndLieBesideTorchScript) {
  const std::string model = ExampleModel("depth"), first = EmptyFolder("first"), second = EmptyFolder("second");
  const std::vector<std::string> flags = {"--noverify"};
  ASSERT_EQ(Export(model, flags, first).exit_status, 0);
  // The other in a process of its own, which has other addresses.
  ASSERT_EQ(RunTool("export",
                    {"--model=" + model, "--weights=seeded", "--target=onnx", "--noverify",
                     "--plugin_path=" + DataPath("models")},
                    second)
                .exit_status,
            0);
  EXPECT_EQ(ReadFile(first + "/" + model + ".onnx"), ReadFile(second + "/" + model + ".onnx"));
  const ToolResult other =
      RunWarmTool("export", {"--model=" + model, "--weights=seeded", "--plugin_path=" + DataPath("models")}, first);
  EXPECT_EQ(other.exit_status, 0) << other.err;
  EXPECT_THAT(FileNames(first),
              ElementsAre(model + ".manifest.json", model + ".onnx", model + ".onnx.manifest.json", model + ".pt"));
}

TEST(ExportOnnxTest, AnOpsetIsChosen) {
  const std::string folder = EmptyFolder("opset"), model = ExampleModel("depth");
  const ToolResult result = Export(model, {"--opset=22", "--out=m.onnx"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("what loads ONNX of opset 22"));
  EXPECT_EQ(Manifest(folder + "/m.onnx.manifest.json")["opset"], 22);
}

TEST(ExportOnnxTest, SizesAreFixedByTheirLetters) {
  const std::string folder = EmptyFolder("fixed"), model = ExampleModel("depth");
  const ToolResult result = Export(model, {"--sizes=B=1,H=28,W=42", "--out=fixed.onnx"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const nlohmann::json manifest = Manifest(folder + "/fixed.onnx.manifest.json");
  EXPECT_EQ(manifest["sizes"].size(), 3);
  for (const nlohmann::json& output : manifest["round_trip"]["outputs"])
    EXPECT_EQ(output["call"], "forward([1, 3, 28, 42])");
}

// The wrappers that give a host one image for one image.
class HostModelTest : public testing::TestWithParam<std::string> {};

TEST_P(HostModelTest, IsOneImageForOneImageOrRefusedForItsReason) {
  const auto& [model, wrapper] = FindNukeTestModel(GetParam());
  const Case stated = CaseOf(model);
  const std::string folder = EmptyFolder("host");
  const std::string refused = Text(stated, wrapper.empty() ? "refused_host" : "refused_host_" + wrapper);
  const ToolResult result =
      RunWarmTool("export",
                  {"--model=" + model, "--weights=seeded", "--target=unreal", "--out=m.onnx", "--sizes=H=31,W=45",
                   "--plugin_path=" + DataPath("models"), "--wrapper=" + wrapper},
                  folder);
  if (!refused.empty()) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, HasSubstr(refused));
    return;
  }
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const nlohmann::json manifest = Manifest(folder + "/m.onnx.manifest.json");
  EXPECT_EQ(manifest["round_trip"]["proven"], true);
  const auto channels_in = manifest["interface"]["channels_in"].size();
  const auto channels_out = manifest["interface"]["channels_out"].size();
  const int scale = manifest["interface"]["scale"];
  for (const nlohmann::json& output : manifest["round_trip"]["outputs"]) {
    EXPECT_EQ(output["call"], "forward([1, " + std::to_string(channels_in) + ", 31, 45])");
    EXPECT_EQ(output["shape"], nlohmann::json({1, channels_out, 31 * scale, 45 * scale}));
  }
  EXPECT_TRUE(manifest["knobs"].empty());
}

INSTANTIATE_TEST_SUITE_P(Models, HostModelTest, testing::ValuesIn(NukeTestModels()),
                         [](const auto& info) { return info.param; });

TEST(ExportOnnxTest, KnobsAreConstants) {
  const std::string folder = EmptyFolder("knobs"), model = ExampleModel("depth");
  const auto run = [&](const std::string& target, const std::string& knob, const std::string& out) {
    return RunWarmTool("export",
                       {"--model=" + model, "--weights=seeded", "--target=" + target, "--knob=" + knob, "--noverify",
                        "--out=" + out, "--plugin_path=" + DataPath("models")},
                       folder);
  };
  ASSERT_EQ(run("houdini", "normalize=1", "one.onnx").exit_status, 0);
  ASSERT_EQ(run("houdini", "normalize=0", "none.onnx").exit_status, 0);
  EXPECT_NE(ReadFile(folder + "/one.onnx"), ReadFile(folder + "/none.onnx"));
  const nlohmann::json manifest = Manifest(folder + "/one.onnx.manifest.json");
  EXPECT_EQ(manifest["knob_values"], nlohmann::json::parse(R"([{"name": "normalize", "value": 1}])"));
  // For other hosts they are what the knob shows first.
  ASSERT_EQ(run("nuke", "normalize=1", "one.pt").exit_status, 0);
  const nlohmann::json nuke = Manifest(folder + "/one.manifest.json");
  for (const nlohmann::json& knob : nuke["knobs"]) {
    if (knob["name"] == "normalize") {
      EXPECT_EQ(knob["value"], 1);
    }
  }
  EXPECT_THAT(run("houdini", "normalise=1", "x.onnx").err, HasSubstr("no such knob; nearest: normalize"));
  EXPECT_THAT(run("houdini", "max_size=9999", "x.onnx").err, HasSubstr("wants an integer from 0 to 4096"));
  EXPECT_THAT(run("houdini", "max_size=0.5", "x.onnx").err, HasSubstr("wants an integer from 0 to 4096"));
  EXPECT_THAT(run("onnx", "max_size=0", "x.onnx").err, HasSubstr("has no wrapper, which knobs are of"));
}

TEST(ExportOnnxTest, AHostOfOneSizeWantsIt) {
  const std::string folder = EmptyFolder("sizes"), model = ExampleModel("depth");
  const ToolResult result = RunWarmTool(
      "export", {"--model=" + model, "--weights=seeded", "--target=flame", "--plugin_path=" + DataPath("models")},
      folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("Flame takes files of one size: add --sizes=H=518,W=518"));
}

TEST(ExportOnnxTest, WhatCannotBeIsRefusedWithItsCure) {
  const std::string folder = EmptyFolder("refused"), model = ExampleModel("depth");
  const auto refusal = [&](const std::vector<std::string>& flags) { return Export(model, flags, folder).err; };
  EXPECT_THAT(refusal({"--sizes=Q=3"}), HasSubstr("no input of forward has a size Q; they have B, H, W"));
  EXPECT_THAT(refusal({"--sizes=H"}), HasSubstr("--sizes=H: wants sizes of the inputs by their letters"));
  EXPECT_THAT(refusal({"--sizes=H=0"}), HasSubstr("--sizes=H=0: wants"));
  EXPECT_THAT(refusal({"--sizes=H=15"}), HasSubstr("multiples of the patch size"));
  EXPECT_THAT(refusal({"--dtype=bfloat16"}), HasSubstr("--dtype=bfloat16: onnx computes in float32 or float16"));
  EXPECT_THAT(refusal({"--opset=16"}), HasSubstr("--opset=16: wants 17 to 22"));
  EXPECT_THAT(refusal({"--opset=23"}), HasSubstr("--opset=23: wants 17 to 22"));
  EXPECT_THAT(refusal({"--runtime=1.6"}), HasSubstr("which does not load ONNX files"));
  const ToolResult torch = RunWarmTool(
      "export", {"--model=" + model, "--weights=seeded", "--sizes=H=28", "--plugin_path=" + DataPath("models")},
      folder);
  EXPECT_THAT(torch.err, HasSubstr("--sizes is for ONNX files"));
  EXPECT_THAT(FileNames(folder), testing::IsEmpty());
}

TEST(ExportOnnxTest, WithoutOpenVinoThereIsNoProofAndNoFile) {
  const std::string folder = EmptyFolder("without"), model = ExampleModel("depth");
  const ToolResult result = Export(model, {}, folder, {{"MODELPORT_OPENVINO", folder}});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("MODELPORT_OPENVINO=" + folder + " has no libopenvino_c.so"),
                                HasSubstr("--config=onnx"), HasSubstr("--noverify")));
  EXPECT_THAT(FileNames(folder), testing::IsEmpty());
}

}  // namespace
}  // namespace modelport
