#include "common/yaml/yaml_folder.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

class YamlFolderTest : public testing::Test {
 protected:
  YamlFolderTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/testdata");
  }

  void Write(const std::string& name, const std::string& text) const { std::ofstream(folder_ + "/" + name) << text; }

  const std::string folder_ = testing::TempDir() + "/yaml_folder";
};

TEST_F(YamlFolderTest, HasItsOwnYamlFilesByName) {
  Write("plugin.yaml", "family: a");
  Write("modules.yaml", "");
  Write("README.md", "text");
  Write("testdata/plugin.yaml", "family: tiny");
  ASSERT_OK_AND_ASSIGN(const std::vector<YamlFile> files, ReadYamlFolder(folder_));
  ASSERT_EQ(files.size(), 2);
  EXPECT_EQ(files[0].path, folder_ + "/modules.yaml");
  EXPECT_EQ(files[0].text, "");
  EXPECT_EQ(files[1].path, folder_ + "/plugin.yaml");
  EXPECT_EQ(files[1].text, "family: a");
}

TEST_F(YamlFolderTest, OfAHugeFileTheBeginningIsEnough) {
  Write("plugin.yaml", std::string(kMaxYamlSize * 2, '#'));
  ASSERT_OK_AND_ASSIGN(const std::vector<YamlFile> files, ReadYamlFolder(folder_));
  EXPECT_EQ(files[0].text.size(), kMaxYamlSize + 1);
}

TEST_F(YamlFolderTest, WhatCannotBeReadIsAnError) {
  EXPECT_THAT(ReadYamlFolder(folder_ + "/none"), StatusIs(absl::StatusCode::kUnavailable, testing::_));
  std::filesystem::create_directories(folder_ + "/modules.yaml");
  EXPECT_THAT(ReadYamlFolder(folder_),
              StatusIs(absl::StatusCode::kInvalidArgument, folder_ + "/modules.yaml: is not a file"));
  std::filesystem::remove(folder_ + "/modules.yaml");
  Write("modules.yml", "");
  EXPECT_THAT(ReadYamlFolder(folder_), StatusIs(absl::StatusCode::kInvalidArgument,
                                                folder_ + "/modules.yml: a plugin's files end in .yaml; rename it"));
}

}  // namespace
}  // namespace modelport
