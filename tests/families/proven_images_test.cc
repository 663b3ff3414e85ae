// export --with_preprocess of the models of a family is proven on the examples of their image wrappers.
#include <string>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/test_models.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

class ProvenImagesTest : public testing::TestWithParam<std::string> {};

TEST_P(ProvenImagesTest, EveryEntryPointKeepsWhatItStates) {
  const std::string folder = EmptyFolder("images"), plugins = "--plugin_path=" + DataPath("models");
  const ToolResult result = RunWarmTool(
      "export", {"--model=" + GetParam(), "--weights=seeded", "--with_preprocess", "--out=m.pt", plugins}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  const nlohmann::json manifest = nlohmann::json::parse(ReadFile(folder + "/m.manifest.json"));
  EXPECT_EQ(manifest["round_trip"]["proven"], true);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ProvenImagesTest);
INSTANTIATE_TEST_SUITE_P(Models, ProvenImagesTest, testing::ValuesIn(ImageTestModels()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace modelport
