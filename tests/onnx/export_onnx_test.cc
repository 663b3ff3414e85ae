// export --target=onnx: what its flags make, and what is refused.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/examples.h"
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

TEST(ExportOnnxTest, EqualExportsAreEqualBytesAndLieBesideTorchScript) {
  const std::string model = DepthModel(), first = EmptyFolder("first"), second = EmptyFolder("second");
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
  const std::string folder = EmptyFolder("opset"), model = DepthModel();
  const ToolResult result = Export(model, {"--opset=22", "--out=m.onnx"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("what loads ONNX of opset 22"));
  EXPECT_EQ(Manifest(folder + "/m.onnx.manifest.json")["request"]["opset"], 22);
}

TEST(ExportOnnxTest, SizesAreFixedByTheirLetters) {
  const std::string folder = EmptyFolder("fixed"), model = DepthModel();
  const ToolResult result = Export(model, {"--sizes=B=1,H=28,W=42", "--out=fixed.onnx"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const nlohmann::json manifest = Manifest(folder + "/fixed.onnx.manifest.json");
  EXPECT_EQ(manifest["request"]["sizes"].size(), 3);
  for (const nlohmann::json& output : manifest["round_trip"]["outputs"])
    EXPECT_EQ(output["call"], "forward([1, 3, 28, 42])");
}

TEST(ExportOnnxTest, KnobsAreConstants) {
  const std::string folder = EmptyFolder("knobs"), model = DepthModel();
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
  EXPECT_EQ(manifest["request"]["knobs"], nlohmann::json::parse(R"([{"name": "normalize", "value": 1}])"));
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
  const std::string folder = EmptyFolder("sizes"), model = DepthModel();
  const ToolResult result = RunWarmTool(
      "export", {"--model=" + model, "--weights=seeded", "--target=flame", "--plugin_path=" + DataPath("models")},
      folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("Flame takes files of one size: add --sizes=H=518,W=518"));
}

TEST(ExportOnnxTest, TensorRtReadsNoNewerOpsetThan20) {
  const std::string folder = EmptyFolder("tensorrt"), model = DepthModel();
  const ToolResult result = RunWarmTool("export",
                                        {"--model=" + model, "--weights=seeded", "--target=tensorrt", "--opset=21",
                                         "--plugin_path=" + DataPath("models")},
                                        folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("--opset=21: TensorRT reads files of opset 20 and older"));
  EXPECT_THAT(FileNames(folder), testing::IsEmpty());
}

TEST(ExportOnnxTest, WhatCannotBeIsRefusedWithItsCure) {
  const std::string folder = EmptyFolder("refused"), model = DepthModel();
  const auto refusal = [&](const std::vector<std::string>& flags) { return Export(model, flags, folder).err; };
  EXPECT_THAT(refusal({"--sizes=Q=3"}), HasSubstr("no input of forward has a size Q; they have B, H, W"));
  EXPECT_THAT(refusal({"--sizes=H"}), HasSubstr("--sizes=H: wants sizes of the inputs by their letters"));
  EXPECT_THAT(refusal({"--sizes=H=0"}), HasSubstr("--sizes=H=0: wants"));
  EXPECT_THAT(refusal({"--sizes=H=15"}), HasSubstr("multiples of the patch size"));
  EXPECT_THAT(refusal({"--dtype=bfloat16"}), HasSubstr("--dtype=bfloat16: onnx computes in float32 or float16"));
  EXPECT_THAT(refusal({"--opset=16"}), HasSubstr("--opset=16: wants 17 to 22"));
  EXPECT_THAT(refusal({"--opset=23"}), HasSubstr("--opset=23: wants 17 to 22"));
  EXPECT_THAT(refusal({"--runtime=1.6"}), HasSubstr("which does not load ONNX files"));
  EXPECT_THAT(refusal({"--method=forwards"}), HasSubstr("has no such entry point; "));
  EXPECT_THAT(refusal({"--method=a/b"}), HasSubstr("--method=a/b: wants the name of a method"));
  EXPECT_THAT(refusal({"--method=image_depth", "--outputs=depth"}), HasSubstr("--outputs are those of forward"));
  EXPECT_THAT(refusal({"--method=image_depth", "--target=houdini"}), HasSubstr("leave it out, or use --target=onnx"));
  EXPECT_THAT(refusal({"--method=image_depth", "--target=libtorch", "--out=m.pt"}),
              HasSubstr("leave it out, or add --target=onnx"));
  const ToolResult torch = RunWarmTool(
      "export", {"--model=" + model, "--weights=seeded", "--sizes=H=28", "--plugin_path=" + DataPath("models")},
      folder);
  EXPECT_THAT(torch.err, HasSubstr("--sizes is for ONNX files"));
  EXPECT_THAT(FileNames(folder), testing::IsEmpty());
}

TEST(ExportOnnxTest, WithoutOpenVinoThereIsNoProofAndNoFile) {
  const std::string folder = EmptyFolder("without"), model = DepthModel();
  const ToolResult result = Export(model, {}, folder, {{"MODELPORT_OPENVINO", folder}});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("MODELPORT_OPENVINO=" + folder + " has no libopenvino_c.so"),
                                HasSubstr("--config=onnx"), HasSubstr("--noverify")));
  EXPECT_THAT(FileNames(folder), testing::IsEmpty());
}

}  // namespace
}  // namespace modelport
