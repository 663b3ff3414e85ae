#include "common/io/partial_name.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <list>
#include <string>

#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

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

}  // namespace
}  // namespace modelport
