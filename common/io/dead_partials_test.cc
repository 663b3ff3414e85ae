#include "common/io/dead_partials.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/io/partial_name.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

class DeadPartialsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/dead_XXXXXX";
    place_ = {mkdtemp(pattern.data()), "m.pt"};
  }

  // Makes a file and returns it open.
  FileDescriptor Make(const std::string& path) const {
    FileDescriptor file(open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666));
    EXPECT_TRUE(file.ok()) << path;
    return file;
  }

  void RemoveDead() const {
    ASSERT_OK_AND_ASSIGN(const FolderLock lock, FolderLock::Take(place_.folder));
    RemoveDeadPartials(place_, lock);
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(place_.folder)) names.push_back(entry.path().filename());
    return names;
  }

  OutputPlace place_;
};

TEST_F(DeadPartialsTest, FilesOfDeadProcessesAreRemoved) {
  Make(MakePartialPath(place_));
  Make(MakePartialPath(place_));
  RemoveDead();
  EXPECT_THAT(Names(), UnorderedElementsAre());
}

TEST_F(DeadPartialsTest, FilesOfLivingProcessesStay) {
  const std::string path = MakePartialPath(place_);
  {
    const FileDescriptor file = Make(path);
    MarkAlive(file);
    RemoveDead();
    EXPECT_TRUE(fs::exists(path));
  }
  RemoveDead();
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(DeadPartialsTest, FoldersOfDeadProcessesAreRemoved) {
  const std::string unmarked = MakePartialPath(place_), marked = MakePartialPath(place_);
  fs::create_directory(unmarked);
  fs::create_directory(marked);
  std::ofstream(marked + "/file") << "text";
  Make(AliveFile(marked));
  RemoveDead();
  EXPECT_THAT(Names(), UnorderedElementsAre());
}

TEST_F(DeadPartialsTest, FoldersOfLivingProcessesStay) {
  const std::string path = MakePartialPath(place_);
  fs::create_directory(path);
  const FileDescriptor alive = Make(AliveFile(path));
  MarkAlive(alive);
  RemoveDead();
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(DeadPartialsTest, EverythingElseStays) {
  const std::vector<std::string> names = {"m.pt",
                                          ".m.pt.partial",
                                          ".m.pt.12345.partial",
                                          ".m.pt.1234567",
                                          ".m.pt.123456.partials",
                                          ".m.pt.12345g.partial",
                                          "m.pt.123456.partial",
                                          ".n.pt.123456.partial"};
  for (const std::string& name : names) Make(place_.folder + "/" + name);
  fs::create_symlink("m.pt", place_.folder + "/.m.pt.123456.partial");
  mkfifo((place_.folder + "/.m.pt.abcdef.partial").c_str(), 0600);
  RemoveDead();
  EXPECT_EQ(Names().size(), names.size() + 2);
}

}  // namespace
}  // namespace modelport
