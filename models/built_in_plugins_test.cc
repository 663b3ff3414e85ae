#include "models/built_in_plugins.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::Field;

std::string Write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  return path;
}

std::string Folder(const std::string& name) {
  const fs::path folder = fs::path(std::getenv("TEST_TMPDIR")) / name;
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

TEST(BuiltInPluginsTest, AProgramsDataIsInItsRunfilesOrBesideItsFolder) {
  EXPECT_THAT(DataFolders("/out/tools/export/export"),
              ElementsAre("/out/tools/export/export.runfiles/modelport", "/out/tools/share/modelport"));
  EXPECT_THAT(DataFolders("/opt/modelport/bin/modelport"),
              ElementsAre("/opt/modelport/bin/modelport.runfiles/modelport", "/opt/modelport/share/modelport"));
}

TEST(BuiltInPluginsTest, AProgramThatIsDataOfATestHasTheTestsData) {
  EXPECT_THAT(DataFolders("/out/a_test.runfiles/theirs/../modelport/tools/export/export"),
              testing::Contains("/out/a_test.runfiles/modelport"));
}

TEST(BuiltInPluginsTest, TestPluginsAndOtherFilesAreNotBuiltIn) {
  const std::string root = Folder("root");
  Write(fs::path(root) / "models/b/plugin.yaml", "family: b");
  Write(fs::path(root) / "models/b/testdata/plugin.yaml", "family: tiny");
  Write(fs::path(root) / "models/a/modules.yaml", "a");
  Write(fs::path(root) / "models/a/README.md", "text");
  Write(fs::path(root) / "targets/host/plugin.yaml", "");
  ASSERT_OK_AND_ASSIGN(const YamlTree tree, ReadPluginFiles(root));
  EXPECT_EQ(tree.root, root);
  const std::vector<YamlFile>& files = tree.files;
  EXPECT_THAT(files, ElementsAre(Field(&YamlFile::path, "models/a/modules.yaml"),
                                 Field(&YamlFile::path, "models/b/plugin.yaml"),
                                 Field(&YamlFile::path, "targets/host/plugin.yaml")));
  EXPECT_EQ(files[1].text, "family: b");
  EXPECT_EQ(files[2].text, "");
}

TEST(BuiltInPluginsTest, AFileThatCannotBeReadIsAnError) {
  const std::string root = Folder("unreadable");
  fs::create_directories(fs::path(root) / "models/a/modules.yaml");
  EXPECT_THAT(ReadPluginFiles(root),
              StatusIs(absl::StatusCode::kInvalidArgument, testing::HasSubstr("a/modules.yaml: is not a file")));
}

// This test has the plugins of one family in its data.
TEST(BuiltInPluginsTest, AreThoseOfTheData) {
  ASSERT_OK_AND_ASSIGN(const YamlTree tree, BuiltInPlugins());
  EXPECT_TRUE(fs::is_regular_file(fs::path(tree.root) / "models/layers/plugin.yaml"));
  EXPECT_THAT(tree.files, testing::Contains(Field(&YamlFile::path, "models/layers/plugin.yaml")));
}

}  // namespace
}  // namespace modelport
