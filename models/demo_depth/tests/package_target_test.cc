// The target of a package is the folder that the tool makes.
#include <filesystem>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

std::map<std::string, std::string> FilesIn(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files[entry.path().filename()] = ReadFile(entry.path());
  }
  return files;
}

TEST(PackageTargetTest, HasTheFilesThatTheToolWrites) {
  const std::string folder = EmptyFolder("package");
  const ToolResult made = RunTool(
      "package",
      {"--model=demo_depth", "--target=nuke", "--out=out", absl::StrCat("--plugin_path=", DataPath("models"))}, folder);
  ASSERT_EQ(made.exit_status, 0) << made.err;
  const auto wanted = FilesIn(folder + "/out"), has = FilesIn(DataPath("models/demo_depth/demo_depth_nuke_package"));
  EXPECT_GT(wanted.size(), 6);
  EXPECT_EQ(has.size(), wanted.size());
  for (const auto& [name, bytes] : wanted) {
    const auto found = has.find(name);
    ASSERT_NE(found, has.end()) << name;
    EXPECT_TRUE(found->second == bytes) << name;
  }
}

}  // namespace
}  // namespace modelport
