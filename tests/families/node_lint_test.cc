// The lint of the nodes of a family.
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/test_models.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

TEST(NodeLintTest, FindsNothingInArtifactsForNuke) {
  const std::string folder = EmptyFolder("lint");
  for (const std::string& name : NukeTestModels()) {
    const auto [model, wrapper] = FindNukeTestModel(name);
    const ToolResult exported = RunWarmTool("export",
                                            {"--model=" + model, "--target=nuke", "--wrapper=" + wrapper, "--out=m.pt",
                                             "--plugin_path=" + DataPath("models"), "--weights=seeded", "--noverify"},
                                            folder);
    ASSERT_EQ(exported.exit_status, 0) << exported.err;
    const ToolResult result = RunWarmTool("lint", {"m.pt", "--target=nuke"}, folder);
    EXPECT_EQ(result.exit_status, 0) << name << result.out;
    EXPECT_THAT(result.out, testing::StartsWith("no findings; runs in LibTorch ")) << name;
    EXPECT_EQ(result.err, "") << name;
  }
}

}  // namespace
}  // namespace modelport
