// The steps that artifacts take in older LibTorch (tests/runtime), of which few tests have the releases.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/runtime/cases.h"
#include "tests/support/case_table.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

TEST(RuntimeCasesTest, SetEveryKnob) {
  if (FamilyFiles("runtime.txt").empty()) GTEST_SKIP() << "the family has no cases of its own";
  const std::string folder = EmptyFolder("knobs");
  for (const ArtifactCase& artifact : ArtifactCases()) {
    std::vector<std::string> flags = FlagsOf(artifact);
    flags.push_back("--weights=seeded");
    const ToolResult exported = RunWarmTool("export", flags, folder);
    ASSERT_EQ(exported.exit_status, 0) << exported.err;
    const auto manifest = nlohmann::json::parse(ReadFile(folder + "/m.manifest.json"));
    for (const auto& knob : manifest["knobs"]) {
      EXPECT_THAT(artifact.knobs, testing::Contains(testing::StartsWith(knob["name"].get<std::string>() + "=")))
          << testing::PrintToString(artifact);
    }
  }
}

}  // namespace
}  // namespace modelport
