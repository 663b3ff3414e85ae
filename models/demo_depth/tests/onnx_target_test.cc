// The Bazel target of an ONNX file: it is made from the published weights and proven without a flag.
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

TEST(OnnxTargetTest, IsAProvenFileWithItsManifest) {
  const std::string file = DataPath("models/demo_depth/demo_depth_onnx.onnx");
  const nlohmann::json manifest = nlohmann::json::parse(ReadFile(file + ".manifest.json"));
  EXPECT_EQ(manifest["request"]["target"], "onnx");
  EXPECT_EQ(manifest["artifact"]["size_bytes"], std::filesystem::file_size(file));
  EXPECT_EQ(manifest["round_trip"]["proven"], true);
  EXPECT_EQ(std::string(manifest["round_trip"]["runtime"]).substr(0, 9), "OpenVINO ");
}

TEST(OnnxTargetTest, ItsWeightsMayLieInAFileOfTheirOwnAlsoInAPackage) {
  const std::string file = DataPath("models/demo_depth/tests/demo_depth.onnx");
  const nlohmann::json manifest = nlohmann::json::parse(ReadFile(file + ".manifest.json"));
  EXPECT_EQ(manifest["artifact"]["data"]["name"], "demo_depth.onnx.data");
  EXPECT_EQ(manifest["artifact"]["data"]["size_bytes"], std::filesystem::file_size(file + ".data"));
  EXPECT_EQ(manifest["round_trip"]["proven"], true);
  const std::string folder = DataPath("models/demo_depth/tests/demo_depth_package");
  EXPECT_THAT(FileNames(folder), testing::ElementsAre("WEIGHTS_LICENSE.txt", "demo_depth.onnx", "demo_depth.onnx.data",
                                                      "demo_depth.onnx.manifest.json", "demo_depth.profiles.json"));
  EXPECT_EQ(ReadFile(folder + "/WEIGHTS_LICENSE.txt"), ReadFile(DataPath("LICENSE")));
  for (const char* const ending : {"", ".data", ".manifest.json"}) {
    EXPECT_EQ(ReadFile(folder + "/demo_depth.onnx" + ending), ReadFile(file + ending));
  }
}

TEST(OnnxTargetTest, FlagsOfTheExportAreThoseOfTheTarget) {
  const std::string file = DataPath("models/demo_depth/tests/demo_depth_flame.onnx");
  const nlohmann::json manifest = nlohmann::json::parse(ReadFile(file + ".manifest.json"));
  EXPECT_EQ(manifest["request"]["knobs"], nlohmann::json::parse(R"([{"name": "normalize", "value": 1}])"));
}

}  // namespace
}  // namespace modelport
