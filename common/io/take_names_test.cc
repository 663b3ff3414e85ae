#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <sstream>
#include <string>

#include "common/io/partial_name.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::Pair;
using testing::StartsWith;
using testing::UnorderedElementsAre;

// Replaces an artifact "a" and its description "d" in a folder. tests/faults tests the failures that only a broken
// disk causes.
class TakeNamesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/names_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }

  void Write(const std::string& name, const std::string& text) const { std::ofstream(folder_ + "/" + name) << text; }

  // The contents of the files in the folder, by name.
  std::map<std::string, std::string> Files() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      std::stringstream text;
      if (entry.is_regular_file()) text << std::ifstream(entry.path()).rdbuf();
      files[entry.path().filename()] = text.str();
    }
    return files;
  }

  // Gives new files the names "a" and "d".
  absl::Status TakeBoth() const {
    std::list<PartialName> partials;
    std::vector<NamedFile> files;
    for (const char* name : {"a", "d"}) {
      const OutputPlace place = {folder_, name};
      partials.emplace_back(MakePartialPath(place));
      std::ofstream(partials.back().path()) << "new " << name;
      files.push_back({name, place, &partials.back()});
    }
    const absl::StatusOr<FolderLock> lock = FolderLock::Take(folder_);
    return TakeNames(files, *lock);
  }

  std::string folder_;
};

TEST_F(TakeNamesTest, TakesNewNames) {
  ASSERT_OK(TakeBoth());
  EXPECT_THAT(Files(), UnorderedElementsAre(Pair("a", "new a"), Pair("d", "new d")));
}

TEST_F(TakeNamesTest, ReplacesOldFiles) {
  Write("a", "old a");
  Write("d", "old d");
  ASSERT_OK(TakeBoth());
  EXPECT_THAT(Files(), UnorderedElementsAre(Pair("a", "new a"), Pair("d", "new d")));
}

TEST_F(TakeNamesTest, ReplacesOneOldFile) {
  Write("d", "old d");
  ASSERT_OK(TakeBoth());
  EXPECT_THAT(Files(), UnorderedElementsAre(Pair("a", "new a"), Pair("d", "new d")));
}

// The first rename fails, since a file cannot replace a folder.
TEST_F(TakeNamesTest, AFailureAtTheArtifactGivesTheDescriptionItsNameBack) {
  fs::create_directory(folder_ + "/a");
  Write("d", "old d");
  EXPECT_THAT(TakeBoth(), StatusIs(absl::StatusCode::kFailedPrecondition, StartsWith("a: cannot give it its name: ")));
  EXPECT_THAT(Files(), UnorderedElementsAre(Pair("a", ""), Pair("d", "old d")));
}

TEST_F(TakeNamesTest, ASignalEndsTheProcessBeforeOrAfterButNotBetweenTheRenames) {
  for (int i = 0; i < 50; ++i) {
    Write("a", "old a");
    Write("d", "old d");
    const pid_t child = fork();
    if (child == 0) _exit(TakeBoth().ok() ? 0 : 1);
    usleep(20 * i);
    kill(child, SIGTERM);
    waitpid(child, nullptr, 0);
    EXPECT_THAT(Files(), testing::AnyOf(UnorderedElementsAre(Pair("a", "old a"), Pair("d", "old d")),
                                        UnorderedElementsAre(Pair("a", "new a"), Pair("d", "new d"))));
  }
}

}  // namespace
}  // namespace modelport
