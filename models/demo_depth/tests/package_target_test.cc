// The target of a package is the folder that the tool makes.
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
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

// Expects that the folder of the target at `path` has the files that the tool writes with `flags`. What a model draws
// may differ by rounding.
void ExpectFilesOfTool(const std::string& path, const std::vector<std::string>& flags) {
  const std::string folder = EmptyFolder("package");
  std::vector<std::string> arguments = {"--model=demo_depth", "--target=nuke", "--out=out",
                                        absl::StrCat("--plugin_path=", DataPath("models"))};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  const ToolResult made = RunTool("package", arguments, folder);
  ASSERT_EQ(made.exit_status, 0) << made.err;
  const auto wanted = FilesIn(folder + "/out"), has = FilesIn(DataPath(path));
  EXPECT_GT(wanted.size(), 6);
  EXPECT_EQ(has.size(), wanted.size());
  for (const auto& [name, bytes] : wanted) {
    const auto found = has.find(name);
    ASSERT_NE(found, has.end()) << name;
    const bool is_drawn = !flags.empty() && absl::EndsWith(name, ".png");
    EXPECT_TRUE(is_drawn || found->second == bytes) << name;
  }
}

TEST(PackageTargetTest, HasTheFilesThatTheToolWrites) {
  ExpectFilesOfTool("models/demo_depth/demo_depth_nuke_package", {});
}

TEST(PackageTargetTest, HasThePictureOfItsImages) {
  const std::string path = "models/demo_depth/tests/pictured_package";
  ExpectFilesOfTool(path, {absl::StrCat("--picture=", DataPath("docs/pictures/scene.png"))});
  const auto files = FilesIn(DataPath(path));
  EXPECT_EQ(files.count("demo_depth_picture.png"), 1);
  // The icon is made of it.
  EXPECT_NE(files.at("demo_depth.png"),
            FilesIn(DataPath("models/demo_depth/demo_depth_nuke_package")).at("demo_depth.png"));
}

}  // namespace
}  // namespace modelport
