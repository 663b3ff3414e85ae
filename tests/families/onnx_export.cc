#include "tests/families/onnx_export.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {

Case OnnxCaseOf(const std::string& model) {
  for (const std::string& table : FamilyFiles("onnx.txt")) {
    for (const Case& one : ReadCaseTable(table)) {
      if (Text(one, "model") == model) return one;
    }
  }
  return {};
}

nlohmann::json ProvenManifest(const ToolResult& result, const std::string& refused, const std::string& folder,
                              const std::string& name) {
  if (!refused.empty()) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_THAT(result.err, testing::HasSubstr(refused));
    EXPECT_THAT(FileNames(folder), testing::IsEmpty());
    return {};
  }
  EXPECT_EQ(result.exit_status, 0) << result.err;
  if (result.exit_status != 0) return {};
  EXPECT_THAT(FileNames(folder), testing::ElementsAre(name, name + ".manifest.json"));
  const auto manifest = nlohmann::json::parse(ReadFile(folder + "/" + name + ".manifest.json"));
  EXPECT_EQ(manifest["round_trip"]["proven"], true);
  EXPECT_THAT(manifest["round_trip"]["runtime"], testing::StartsWith("OpenVINO "));
  return manifest;
}

}  // namespace modelport
