#include "common/io/output_folder.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> Names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

class OutputFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = absl::StrCat(testing::TempDir(), "/folder_XXXXXX");
    parent_ = mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(parent_); }

  std::string Path(const std::string& name) const { return absl::StrCat(parent_, "/", name); }

  std::string parent_;
};

TEST_F(OutputFolderTest, GetsItsNameWithCommit) {
  absl::StatusOr<OutputFolder> folder = OutputFolder::Create(Path("out"));
  ASSERT_OK(folder);
  std::ofstream(folder->partial_path() + "/file") << "text";
  EXPECT_FALSE(fs::exists(Path("out")));
  ASSERT_OK(folder->Commit());
  EXPECT_THAT(Names(parent_), ElementsAre("out"));
  EXPECT_THAT(Names(Path("out")), ElementsAre("file"));
}

TEST_F(OutputFolderTest, ATrailingSlashNamesTheSameFolder) {
  absl::StatusOr<OutputFolder> folder = OutputFolder::Create(Path("out/"));
  ASSERT_OK(folder);
  ASSERT_OK(folder->Commit());
  EXPECT_THAT(Names(parent_), ElementsAre("out"));
}

TEST_F(OutputFolderTest, LeavesNothingWithoutCommit) {
  {
    const absl::StatusOr<OutputFolder> folder = OutputFolder::Create(Path("out"));
    ASSERT_OK(folder);
    for (int i = 0; i < 300; ++i) std::ofstream(absl::StrCat(folder->partial_path(), "/file", i)) << "text";
  }
  EXPECT_THAT(Names(parent_), IsEmpty());
}

TEST_F(OutputFolderTest, ASignalLeavesNothing) {
  const pid_t child = fork();
  if (child == 0) {
    const absl::StatusOr<OutputFolder> folder = OutputFolder::Create(Path("out"));
    if (!folder.ok()) _exit(1);
    std::ofstream(folder->partial_path() + "/file") << "text";
    raise(SIGTERM);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_THAT(Names(parent_), IsEmpty());
}

TEST_F(OutputFolderTest, AnythingAtThePathIsRefusedAndStays) {
  fs::create_directory(Path("empty"));
  std::ofstream(Path("file")) << "text";
  fs::create_symlink("nowhere", Path("link"));
  for (const char* name : {"empty", "file", "link", "."}) {
    const absl::Status status = OutputFolder::Create(Path(name)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kAlreadyExists) << status;
    EXPECT_THAT(std::string(status.message()), StartsWith(Path(name) + ": exists already"));
  }
  EXPECT_THAT(Names(parent_), testing::UnorderedElementsAre("empty", "file", "link"));
}

TEST_F(OutputFolderTest, AFolderThatWasMadeMeanwhileStays) {
  absl::StatusOr<OutputFolder> folder = OutputFolder::Create(Path("out"));
  ASSERT_OK(folder);
  fs::create_directory(Path("out"));
  std::ofstream(Path("out/mine")) << "text";
  EXPECT_EQ(folder->Commit().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_THAT(Names(Path("out")), ElementsAre("mine"));
}

TEST_F(OutputFolderTest, AMissingParentFolderIsRefused) {
  const absl::Status status = OutputFolder::Create(Path("no/out")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("no does not exist"));
}

}  // namespace
}  // namespace modelport
