// The Bazel target of an ONNX file: it is made from the published weights and proven without a flag.
#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

TEST(OnnxTargetTest, IsAProvenFileWithItsManifest) {
  const std::string file = DataPath("models/demo_depth/demo_depth_onnx.onnx");
  const nlohmann::json manifest = nlohmann::json::parse(ReadFile(file + ".manifest.json"));
  EXPECT_EQ(manifest["target"], "onnx");
  EXPECT_EQ(manifest["artifact"]["size_bytes"], std::filesystem::file_size(file));
  EXPECT_EQ(manifest["round_trip"]["proven"], true);
  EXPECT_EQ(std::string(manifest["round_trip"]["runtime"]).substr(0, 9), "OpenVINO ");
}

}  // namespace
}  // namespace modelport
