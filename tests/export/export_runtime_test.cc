// export --runtime: artifacts for old LibTorch releases, and requests that a release cannot meet.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/examples.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

ToolResult Export(const std::string& model, const std::string& runtime, const std::string& folder,
                  const std::string& plugins = DataPath("models")) {
  return RunWarmTool(
      "export",
      {"--model=" + model, "--weights=seeded", "--out=m.pt", "--plugin_path=" + plugins, "--runtime=" + runtime},
      folder);
}

nlohmann::json Manifest(const std::string& folder) {
  return nlohmann::json::parse(ReadFile(folder + "/m.manifest.json"));
}

TEST(ExportRuntimeTest, WithoutTheFlagTheManifestStatesTheOldestRuntime) {
  const std::string folder = EmptyFolder("newest");
  const ToolResult result = Export(DepthModel(), "", folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("LibTorch 2.1 and newer"));
  EXPECT_THAT(result.out, testing::Not(HasSubstr("made for")));
  EXPECT_EQ(Manifest(folder)["request"]["runtime"], "");
  EXPECT_EQ(Manifest(folder)["minimum_runtime"], "2.1");
}

TEST(ExportRuntimeTest, ARuntimeWithoutAFormatOfItsOwnGetsLibTorchsRecords) {
  const std::string folder = EmptyFolder("between");
  ASSERT_EQ(Export(DepthModel(), "1.12", folder).exit_status, 0);
  EXPECT_EQ(Manifest(folder)["minimum_runtime"], "1.12");
  EXPECT_EQ(Manifest(folder)["artifact"]["archive_version"], 10);
}

TEST(ExportRuntimeTest, ExportsForOldRuntimesOfEqualInputsAreEqualBytes) {
  const std::string first = EmptyFolder("first"), second = EmptyFolder("second");
  ASSERT_EQ(Export(ExampleModel("one view"), "1.6", first).exit_status, 0);
  // The other in a process of its own, which has other addresses.
  ASSERT_EQ(RunTool("export",
                    {"--model=" + ExampleModel("one view"), "--weights=seeded", "--out=m.pt",
                     "--plugin_path=" + DataPath("models"), "--runtime=1.6"},
                    second)
                .exit_status,
            0);
  EXPECT_TRUE(ReadFile(first + "/m.pt") == ReadFile(second + "/m.pt"));
}

TEST(ExportRuntimeTest, AnUnknownRuntimeIsRefused) {
  const std::string folder = EmptyFolder("unknown");
  const ToolResult result = Export(DepthModel(), "1.13", folder);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.err, "INVALID_ARGUMENT: --runtime=1.13: unknown runtime \"1.13\"; nearest: 1.12, 2.13, 1.6\n");
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

// The plugins, changed so that one calls an operator that old runtimes lack.
std::string PluginsThatNeedNanToNum() {
  const std::string plugins = EmptyFolder("plugins");
  fs::copy(DataPath("models"), plugins, fs::copy_options::recursive);
  const std::string path = plugins + "/layers/torch_nn.yaml";
  std::string text = ReadFile(path);
  const std::string call = "return torch.relu(x)";
  const size_t place = text.find(call);
  EXPECT_NE(place, std::string::npos);
  text.replace(place, call.size(), "return torch.nan_to_num(torch.relu(x))");
  // Bazel's copy is write-protected.
  fs::remove(path);
  std::ofstream(path) << text;
  return plugins;
}

TEST(ExportRuntimeTest, AnImpossibleRequestNamesOperatorLineAndModuleAndLeavesNothing) {
  const std::string plugins = PluginsThatNeedNanToNum(), folder = EmptyFolder("impossible");
  const ToolResult result = Export(DepthModel(), "1.6", folder, plugins);
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, StartsWith("FAILED_PRECONDITION: " + DepthModel() +
                                     ": cannot run in LibTorch 1.6: 1 obstacle; the oldest that can is "
                                     "1.12\n  aten::nan_to_num(Tensor): LibTorch 1.6 does not have it\n"));
  EXPECT_THAT(result.err, HasSubstr("layers/torch_nn.yaml:"));
  EXPECT_THAT(result.err, HasSubstr("depth_head.scratch.output_conv2.1"));
  EXPECT_THAT(FileNames(folder), IsEmpty());
}

}  // namespace
}  // namespace modelport
