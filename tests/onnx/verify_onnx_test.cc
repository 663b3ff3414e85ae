// verify, inspect, diff and sign of ONNX files: what is altered in one is refused, and said.
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string Model() { return DepthModel(); }
std::string CheckpointFlag() { return "--checkpoint=" + DataPath("tests/checkpoints/" + Model() + ".safetensors"); }
std::string Plugins() { return ExamplePlugins({"depth"}); }

// A folder with the artifact m.onnx of seeded weights or of a checkpoint, and its manifest.
class Exported {
 public:
  explicit Exported(const std::string& weights, const std::string& target = "onnx") : folder_(EmptyFolder("exported")) {
    const std::string name = target == "onnx" ? "m.onnx" : "m.pt";
    const ToolResult result = RunWarmTool(
        "export", {"--model=" + Model(), weights, "--target=" + target, "--out=" + name, Plugins()}, folder_);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    bytes_ = ReadFile(folder_ + "/m.onnx");
  }

  const std::string& folder() const { return folder_; }
  const std::string& bytes() const { return bytes_; }

  ToolResult Run(const std::string& tool, std::vector<std::string> flags,
                 const std::map<std::string, std::string>& variables = {}) const {
    return RunWarmTool(tool, flags, folder_, variables);
  }
  ToolResult Verify(std::vector<std::string> flags, const std::map<std::string, std::string>& variables = {}) const {
    flags.insert(flags.begin(), {"m.onnx", Plugins()});
    return Run("verify", flags, variables);
  }

  // Verifies the file with the first `from` in it replaced by `to`, or cut where it begins if `to` is "".
  ToolResult VerifyAltered(const std::string& from, const std::string& to) const {
    std::string altered = bytes_;
    const size_t place = altered.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    altered.replace(place, to.empty() ? std::string::npos : from.size(), to);
    Write("m.onnx", altered);
    ToolResult result = Verify({});
    Write("m.onnx", bytes_);
    return result;
  }

  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }

 private:
  std::string folder_, bytes_;
};

TEST(VerifyOnnxTest, SeededWeightsAreMadeAnew) {
  const Exported exported("--weights=seeded");
  const ToolResult result = exported.Verify({});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("reached      code"), HasSubstr("every byte as Modelport writes it"),
                                HasSubstr("loads in OpenVINO "), HasSubstr("forward([1, 3, 28, 28]): max diff")));
  EXPECT_THAT(result.out, Not(HasSubstr("not checked")));
}

TEST(VerifyOnnxTest, WithoutOpenVinoOutputsAreNotChecked) {
  const Exported exported("--weights=seeded");
  const ToolResult result = exported.Verify({}, {{"MODELPORT_OPENVINO", exported.folder()}});
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("reached      code"), HasSubstr("not checked  outputs, and the manifest's"),
                                HasSubstr("has no libopenvino_c.so")));
}

TEST(VerifyOnnxTest, ACheckpointIsNeededForWhatTheFileLacks) {
  const Exported exported(CheckpointFlag());
  const ToolResult whole = exported.Verify({CheckpointFlag()});
  ASSERT_EQ(whole.exit_status, 0) << whole.err;
  EXPECT_THAT(whole.out, AllOf(HasSubstr("reached      code"), HasSubstr("tensors bitwise equal to those of")));

  const ToolResult without = exported.Verify({});
  EXPECT_EQ(without.exit_status, 1);
  EXPECT_THAT(without.err,
              AllOf(HasSubstr("m.onnx: holds only the tensors that its code uses"),
                    HasSubstr("give the checkpoint that it was made from, sha256:"), HasSubstr("--at_least=file")));

  const ToolResult file = exported.Verify({"--at_least=file"});
  ASSERT_EQ(file.exit_status, 0) << file.err;
  EXPECT_THAT(file.out, AllOf(HasSubstr("reached      file"), HasSubstr("sha256 as in the manifest")));
}

TEST(VerifyOnnxTest, WhatIsAlteredIsRefused) {
  const Exported exported("--weights=seeded");
  const auto error = [&](const std::string& from, const std::string& to) {
    const ToolResult result = exported.VerifyAltered(from, to);
    EXPECT_EQ(result.exit_status, 1);
    return result.err;
  };
  EXPECT_THAT(error("Softmax", "Sigmoid"), HasSubstr("m.onnx: from byte "));
  EXPECT_THAT(error("pretrained.cls_token", "pretrained.cls_tokem"), HasSubstr("m.onnx: from byte "));
  EXPECT_THAT(error("modelport.manifest", "modelport.manifesto"), HasSubstr("m.onnx: is damaged, or no ONNX file"));
  EXPECT_THAT(error("\"family\"", "\"familx\""), HasSubstr("m.onnx: metadata_props modelport.manifest"));
  EXPECT_THAT(error("modelport.manifest", ""), HasSubstr("m.onnx: is damaged"));
  // The elements of a constant follow its name, its shape and the header of the field that has them.
  const size_t name = exported.bytes().rfind("norm.weight");
  const std::string elements = exported.bytes().substr(name + 30, 20);
  std::string others = elements;
  others[5] = static_cast<char>(others[5] ^ 1);
  EXPECT_THAT(error(elements, others), AllOf(HasSubstr("m.onnx: the initializer "), HasSubstr("norm.weight")));
  exported.Write("m.onnx", exported.bytes() + "x");
  EXPECT_EQ(exported.Verify({}).exit_status, 1);
}

TEST(VerifyOnnxTest, AHostsFileIsMadeAnewWithItsSizesKnobsAndOpset) {
  const std::string folder = EmptyFolder("host");
  const ToolResult exported =
      RunWarmTool("export",
                  {"--model=" + Model(), CheckpointFlag(), "--target=flame", "--sizes=H=31,W=45", "--knob=normalize=1",
                   "--opset=20", "--out=m.onnx", Plugins()},
                  folder);
  ASSERT_EQ(exported.exit_status, 0) << exported.err;
  const ToolResult verified = RunWarmTool("verify", {"m.onnx", CheckpointFlag(), Plugins()}, folder);
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("reached      code"));
  // The manifest in the file says as much.
  fs::rename(folder + "/m.onnx.manifest.json", folder + "/m.json");
  const ToolResult alone = RunWarmTool("verify", {"m.onnx", CheckpointFlag(), Plugins()}, folder);
  EXPECT_EQ(alone.exit_status, 0) << alone.err;
  fs::rename(folder + "/m.json", folder + "/m.onnx.manifest.json");
  std::string manifest = ReadFile(folder + "/m.onnx.manifest.json");
  const size_t place = manifest.find("\"name\": \"normalize\"");
  ASSERT_NE(place, std::string::npos);
  manifest.replace(place, 19, "\"name\": \"nonsense!\"");
  std::ofstream(folder + "/m.onnx.manifest.json") << manifest;
  EXPECT_EQ(RunWarmTool("verify", {"m.onnx", CheckpointFlag(), Plugins()}, folder).exit_status, 1);
}

TEST(VerifyOnnxTest, AManifestIsOfOneFormat) {
  const Exported exported("--weights=seeded", "libtorch");
  std::string manifest = ReadFile(exported.folder() + "/m.manifest.json");
  const size_t place = manifest.find("\"target\": \"libtorch\"");
  ASSERT_NE(place, std::string::npos);
  manifest.replace(place, 20, "\"target\": \"onnx\"");
  exported.Write("m.manifest.json", manifest);
  const ToolResult result = exported.Run("verify", {"m.pt", Plugins()});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("target"));
}

TEST(VerifyOnnxTest, OtherToolsReadOnnxFiles) {
  const Exported exported(CheckpointFlag());
  const ToolResult inspected = exported.Run("inspect", {"--artifact=m.onnx", Plugins()});
  ASSERT_EQ(inspected.exit_status, 0) << inspected.err;
  EXPECT_THAT(inspected.out, AllOf(HasSubstr(Model()), HasSubstr("in it and beside it"),
                                   HasSubstr("what loads ONNX of opset 17"), HasSubstr("forward(")));

  ASSERT_EQ(exported.Run("export", {"--model=" + Model(), CheckpointFlag(), "--out=m.pt", Plugins()}).exit_status, 0);
  const ToolResult diff = exported.Run("diff", {"m.onnx", "m.pt", Plugins()});
  EXPECT_THAT(diff.out, AllOf(HasSubstr("mask_token"), HasSubstr("artifact target")));
  const ToolResult same = exported.Run("diff", {"m.onnx", "m.onnx", Plugins()});
  EXPECT_EQ(same.exit_status, 0) << same.err << same.out;

  const ToolResult signed_now =
      exported.Run("sign", {"--artifact=m.onnx", "--key=" + DataPath("tests/signatures/private.pem")});
  ASSERT_EQ(signed_now.exit_status, 0) << signed_now.err;
  EXPECT_TRUE(fs::exists(exported.folder() + "/m.onnx.sig"));
  const std::string key = "--key=" + DataPath("tests/signatures/public.pem");
  const ToolResult verified = exported.Verify({CheckpointFlag(), key});
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("artifact and manifest signed"));
}

}  // namespace
}  // namespace modelport
