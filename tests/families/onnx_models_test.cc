// export --target=onnx of every test model of a family: what OpenVINO computes of the file is what the module computes.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/families/onnx_export.h"
#include "tests/support/case_table.h"
#include "tests/support/test_models.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ToolResult Export(const std::string& model, const std::vector<std::string>& flags, const std::string& folder) {
  std::vector<std::string> arguments = {"--model=" + model, "--weights=seeded", "--target=onnx",
                                        "--plugin_path=" + DataPath("models")};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  return RunWarmTool("export", arguments, folder);
}

class OnnxModelTest : public testing::TestWithParam<std::string> {};

TEST_P(OnnxModelTest, IsProvenOrRefusedForItsReason) {
  const Case stated = OnnxCaseOf(GetParam());
  const std::string folder = EmptyFolder("onnx"), sizes = Text(stated, "sizes");
  const ToolResult result = Export(
      GetParam(), sizes.empty() ? std::vector<std::string>() : std::vector<std::string>{"--sizes=" + sizes}, folder);
  const nlohmann::json manifest = ProvenManifest(result, Text(stated, "refused"), folder, GetParam() + ".onnx");
  if (manifest.is_null()) return;
  EXPECT_EQ(manifest["request"]["target"], "onnx");
  EXPECT_EQ(manifest["request"]["opset"], 17);
  EXPECT_EQ(manifest["entry_points"].size(), 1);
}

TEST_P(OnnxModelTest, OtherMethodsAreProven) {
  const Case stated = OnnxCaseOf(GetParam());
  for (const std::string& method : Texts(stated, "method")) {
    const std::string folder = EmptyFolder(method), sizes = Text(stated, "sizes_" + method);
    std::vector<std::string> flags = {"--method=" + method};
    if (!sizes.empty()) flags.push_back("--sizes=" + sizes);
    const ToolResult result = Export(GetParam(), flags, folder);
    const nlohmann::json manifest = ProvenManifest(result, "", folder, GetParam() + "_" + method + ".onnx");
    if (manifest.is_null()) continue;
    EXPECT_EQ(manifest["entry_points"].size(), 1);
    EXPECT_EQ(manifest["entry_points"][0]["method"], method);
    EXPECT_EQ(manifest["request"]["method"], method);
    const ToolResult verified =
        RunWarmTool("verify", {GetParam() + "_" + method + ".onnx", "--plugin_path=" + DataPath("models")}, folder);
    EXPECT_EQ(verified.exit_status, 0) << verified.err;
    EXPECT_THAT(verified.out, HasSubstr("loads in OpenVINO "));
  }
}

TEST_P(OnnxModelTest, IsProvenInFloat16) {
  const Case stated = OnnxCaseOf(GetParam());
  const std::string sizes = Text(stated, "sizes");
  if (!Text(stated, "refused").empty()) GTEST_SKIP() << "has no file";
  const std::string folder = EmptyFolder("float16");
  std::vector<std::string> flags = {"--dtype=float16", "--out=m.onnx"};
  if (!sizes.empty()) flags.push_back("--sizes=" + sizes);
  const ToolResult result = Export(GetParam(), flags, folder);
  const nlohmann::json manifest = ProvenManifest(result, Text(stated, "refused_float16"), folder, "m.onnx");
  if (manifest.is_null()) return;
  EXPECT_EQ(manifest["request"]["dtype"], "float16");
  EXPECT_EQ(manifest["entry_points"][0]["inputs"][0]["dtype"], "float32");
  EXPECT_EQ(manifest["entry_points"][0]["outputs"][0]["dtype"], "float32");
}

// By the table of what TensorRT's parser takes.
TEST_P(OnnxModelTest, TensorRtTakesItOrIsNotAskedForItsReason) {
  const Case stated = OnnxCaseOf(GetParam());
  const auto own = [&](const std::string& field) {
    const std::string text = Text(stated, field + "_tensorrt");
    return text.empty() ? Text(stated, field) : text;
  };
  const std::string folder = EmptyFolder("tensorrt"), sizes = own("sizes"), refused = own("refused");
  std::vector<std::string> flags = {"--model=" + GetParam(), "--weights=seeded",
                                    "--target=tensorrt",     "--noverify",
                                    "--out=m.onnx",          "--plugin_path=" + DataPath("models")};
  if (!sizes.empty()) flags.push_back("--sizes=" + sizes);
  const ToolResult result = RunWarmTool("export", flags, folder);
  EXPECT_EQ(result.exit_status, refused.empty() ? 0 : 1) << result.err;
  EXPECT_THAT(result.err, HasSubstr(refused));
}

INSTANTIATE_TEST_SUITE_P(Models, OnnxModelTest, testing::ValuesIn(TestModels()),
                         [](const auto& info) { return info.param; });

// The letters of `sizes`, such as B=1,N=2, but B, H and W, each with a comma before it.
std::string OtherSizes(const std::string& sizes) {
  std::string others;
  for (const std::string& size : std::vector<std::string>(absl::StrSplit(sizes, ',', absl::SkipEmpty()))) {
    if (std::string("BHW").find(size[0]) == std::string::npos) others += "," + size;
  }
  return others;
}

// With --with_preprocess files take images of one size, here of the family's first model that has such a wrapper.
TEST(OnnxImagesTest, AFileThatPreparesImagesIsProvenOrRefusedForItsReason) {
  const std::vector<std::string> models = ImageTestModels();
  const auto model = std::find_if(models.begin(), models.end(),
                                  [](const std::string& name) { return Text(OnnxCaseOf(name), "refused").empty(); });
  if (model == models.end()) GTEST_SKIP() << "no model prepares images";
  const Case stated = OnnxCaseOf(*model);
  const std::string folder = EmptyFolder("images");
  const ToolResult result =
      Export(*model, {"--with_preprocess", "--sizes=B=1,H=45,W=31" + OtherSizes(Text(stated, "sizes")), "--out=m.onnx"},
             folder);
  const nlohmann::json manifest = ProvenManifest(result, Text(stated, "refused_images"), folder, "m.onnx");
  if (manifest.is_null()) return;
  EXPECT_EQ(manifest["entry_points"][0]["inputs"][0]["dtype"], "float32");
}

}  // namespace
}  // namespace modelport
