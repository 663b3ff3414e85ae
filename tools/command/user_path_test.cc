#include "tools/command/user_path.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ResolveUserPathTest, IsRelativeToWhereTheUserStands) {
  unsetenv("MODELPORT_WORKING_DIRECTORY");
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(ResolveUserPath("m.pt"), "m.pt");
  setenv("BUILD_WORKING_DIRECTORY", "/home/user", 1);
  EXPECT_EQ(ResolveUserPath("m.pt"), "/home/user/m.pt");
  EXPECT_EQ(ResolveUserPath("../m.pt"), "/home/m.pt");
  EXPECT_EQ(ResolveUserPath("/tmp/m.pt"), "/tmp/m.pt");
  setenv("MODELPORT_WORKING_DIRECTORY", "/shots", 1);
  EXPECT_EQ(ResolveUserPath("m.pt"), "/shots/m.pt");
}

// A folder of the user's with these files.
std::string FolderWith(const std::vector<std::string>& files) {
  const std::string folder = testing::TempDir() + testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  for (const std::string& file : files) {
    const std::filesystem::path path = folder + "/" + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "x";
  }
  setenv("MODELPORT_WORKING_DIRECTORY", folder.c_str(), 1);
  return folder + "/";
}

TEST(ResolveUserPathsTest, CommasAreBetweenPaths) {
  const std::string folder = FolderWith({"a.jpg", "b.jpg"});
  EXPECT_THAT(ResolveUserPaths(""), IsEmpty());
  EXPECT_THAT(ResolveUserPaths("a.jpg"), ElementsAre(folder + "a.jpg"));
  EXPECT_THAT(ResolveUserPaths("a.jpg,b.jpg,/c.jpg"), ElementsAre(folder + "a.jpg", folder + "b.jpg", "/c.jpg"));
  EXPECT_THAT(ResolveUserPaths("a.jpg,x/../b.jpg"), ElementsAre(folder + "a.jpg", folder + "b.jpg"));
  EXPECT_THAT(ResolveUserPaths("none.jpg,x/*.jpg"), ElementsAre(folder + "none.jpg", folder + "x/*.jpg"));
}

TEST(ResolveUserPathsTest, ACommaInANameThatExistsBelongsToIt) {
  const std::string folder = FolderWith({"a,b.jpg", "c.jpg", "d,e/1,2.jpg"});
  EXPECT_THAT(ResolveUserPaths("a,b.jpg"), ElementsAre(folder + "a,b.jpg"));
  EXPECT_THAT(ResolveUserPaths("c.jpg,a,b.jpg,c.jpg"),
              ElementsAre(folder + "c.jpg", folder + "a,b.jpg", folder + "c.jpg"));
  EXPECT_THAT(ResolveUserPaths("d,e/*.jpg,c.jpg"), ElementsAre(folder + "d,e/*.jpg", folder + "c.jpg"));
  EXPECT_THAT(ResolveUserPaths("c.jpg,d,e/p.%04d.exr"), ElementsAre(folder + "c.jpg", folder + "d,e/p.%04d.exr"));
  EXPECT_THAT(ResolveUserPaths("c.jpg,d,e/1,2.jpg"), ElementsAre(folder + "c.jpg", folder + "d,e/1,2.jpg"));
}

}  // namespace
}  // namespace modelport
