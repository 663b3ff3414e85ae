// export --runtime=1.6 of the models of a family.
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/test_models.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class OldestRuntimeTest : public testing::TestWithParam<std::string> {};

TEST_P(OldestRuntimeTest, ModelsAreProvenForTheOldestRuntime) {
  const std::string folder = EmptyFolder("oldest"), plugins = "--plugin_path=" + DataPath("models");
  const ToolResult result = RunWarmTool(
      "export", {"--model=" + GetParam(), "--weights=seeded", "--out=m.pt", plugins, "--runtime=1.6"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("made for    LibTorch 1.6\n"), HasSubstr("LibTorch 1.6 and newer")));
  const nlohmann::json manifest = nlohmann::json::parse(ReadFile(folder + "/m.manifest.json"));
  EXPECT_EQ(manifest["request"]["runtime"], "1.6");
  EXPECT_EQ(manifest["minimum_runtime"], "1.6");
  EXPECT_EQ(manifest["artifact"]["archive_version"], 5);
  EXPECT_EQ(manifest["round_trip"]["proven"], true);
  const ToolResult verified = RunWarmTool("verify", {"--artifact=m.pt", plugins}, folder);
  EXPECT_EQ(verified.exit_status, 0) << verified.err;
}

INSTANTIATE_TEST_SUITE_P(Models, OldestRuntimeTest, testing::ValuesIn(TestModels()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace modelport
