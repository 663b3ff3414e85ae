#include "common/io/partial_name.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <string>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

std::string MakeFile(const std::string& name) {
  const std::string path = testing::TempDir() + "/" + name;
  std::ofstream(path) << "bytes";
  return path;
}

TEST(PartialNameTest, RemovesTheFile) {
  const std::string path = MakeFile("removed");
  { const PartialName partial(path); }
  EXPECT_FALSE(fs::exists(path));
}

TEST(PartialNameTest, LeavesAReleasedFile) {
  const std::string path = MakeFile("released");
  {
    PartialName partial(path);
    partial.Release();
  }
  EXPECT_TRUE(fs::exists(path));
}

TEST(PartialNameTest, RemovesAnyNumberOfFiles) {
  std::list<PartialName> partials;
  for (int i = 0; i < 40; ++i) partials.emplace_back(MakeFile("many" + std::to_string(i)));
  const std::string last = partials.back().path();
  partials.clear();
  EXPECT_FALSE(fs::exists(last));
}

TEST(PartialNameTest, ASignalRemovesTheFileAndEndsTheProcess) {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGXCPU}) {
    const std::string kept = MakeFile("kept"), removed = MakeFile("removed");
    const pid_t child = fork();
    if (child == 0) {
      PartialName released(kept);
      const PartialName partial(removed);
      released.Release();
      raise(signal_number);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal_number) << status;
    EXPECT_TRUE(fs::exists(kept));
    EXPECT_FALSE(fs::exists(removed));
  }
}

TEST(PartialNameTest, AForkedProcessThatASignalEndsLeavesTheFile) {
  const PartialName partial(MakeFile("parents"));
  const pid_t child = fork();
  if (child == 0) raise(SIGTERM);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(partial.path()));
}

TEST(PartialNameDeathTest, AnIgnoredSignalStaysIgnored) {
  // Runs in a new process, which has not made a PartialName before.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto ignore_and_raise = [] {
    signal(SIGHUP, SIG_IGN);
    const PartialName partial(MakeFile("nohup"));
    raise(SIGHUP);
    _exit(fs::exists(partial.path()) ? 0 : 1);
  };
  EXPECT_EXIT(ignore_and_raise(), testing::ExitedWithCode(0), "");
}

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
