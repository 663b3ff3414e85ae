#include "common/io/output_file.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/testing/obey_permissions.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing::UnorderedElementsAre;

std::string ReadAll(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> Names(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  return names;
}

// Runs `body` in a child process and returns its wait status.
int InChild(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

class OutputFileTest : public testing::TestWithParam<OutputFile::Naming> {
 protected:
  void SetUp() override {
    std::string pattern = absl::StrCat(testing::TempDir(), "/output_XXXXXX");
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ + "/model.pt";
  }

  void TearDown() override { fs::permissions(folder_, fs::perms::owner_all); }

  absl::StatusOr<OutputFile> Create(const std::string& path) const { return OutputFile::Create(path, GetParam()); }

  std::string folder_;
  std::string path_;
};

TEST_P(OutputFileTest, HasItsNameOnlyWhenCommitted) {
  ASSERT_OK_AND_ASSIGN(OutputFile file, Create(path_));
  ASSERT_OK(file.Write("first "));
  ASSERT_OK(file.Write(std::string("sec\0nd", 6)));
  EXPECT_FALSE(fs::exists(path_));
  ASSERT_OK(file.Commit());
  EXPECT_EQ(ReadAll(path_), std::string("first sec\0nd", 12));
  EXPECT_THAT(Names(folder_), UnorderedElementsAre("model.pt"));
}

TEST_P(OutputFileTest, CanBeReadBeforeItHasItsName) {
  ASSERT_OK_AND_ASSIGN(OutputFile file, Create(path_));
  ASSERT_OK(file.Write("bytes"));
  ASSERT_OK(file.Sync());
  EXPECT_EQ(ReadAll(file.ReadablePath()), "bytes");
}

TEST_P(OutputFileTest, LeavesNothingWhenNotCommitted) {
  std::ofstream(path_) << "before";
  {
    ASSERT_OK_AND_ASSIGN(OutputFile file, Create(path_));
    ASSERT_OK(file.Write("bytes"));
    const OutputFile moved = std::move(file);
  }
  EXPECT_THAT(Names(folder_), UnorderedElementsAre("model.pt"));
  EXPECT_EQ(ReadAll(path_), "before");
}

TEST_P(OutputFileTest, ReplacesAFile) {
  std::ofstream(path_) << "a longer text of before";
  ASSERT_OK_AND_ASSIGN(OutputFile file, Create(path_));
  ASSERT_OK(file.Write("after"));
  EXPECT_EQ(ReadAll(path_), "a longer text of before");
  ASSERT_OK(file.Commit());
  EXPECT_EQ(ReadAll(path_), "after");
  EXPECT_THAT(Names(folder_), UnorderedElementsAre("model.pt"));
}

TEST_P(OutputFileTest, ReplacesTheFileThatALinkNames) {
  fs::create_directory(folder_ + "/store");
  std::ofstream(folder_ + "/store/v1.pt") << "before";
  fs::create_symlink("store/v1.pt", path_);
  ASSERT_OK_AND_ASSIGN(OutputFile file, Create(path_));
  ASSERT_OK(file.Write("after"));
  ASSERT_OK(file.Commit());
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(ReadAll(folder_ + "/store/v1.pt"), "after");
  EXPECT_THAT(Names(folder_ + "/store"), UnorderedElementsAre("v1.pt"));
}

TEST_P(OutputFileTest, TheUmaskDecidesWhoMayRead) {
  const mode_t before = umask(027);
  ASSERT_OK_AND_ASSIGN(OutputFile file, Create(path_));
  ASSERT_OK(file.Commit());
  umask(before);
  struct stat info;
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_P(OutputFileTest, ManyMegabytesAreCompleteAndTakeNoMoreSpace) {
  std::string bytes(21'000'001, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 2654435761u >> 13);
  ASSERT_OK_AND_ASSIGN(OutputFile file, Create(path_));
  ASSERT_OK(file.Write(bytes));
  ASSERT_OK(file.Commit());
  EXPECT_TRUE(ReadAll(path_) == bytes);
  struct stat info;
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_LT(info.st_blocks * 512, 22'000'000);
}

TEST_P(OutputFileTest, AFileSizeLimitIsAnErrorWithTheBytesAndLeavesNothing) {
  const int status = InChild([this] {
    const rlimit limit = {100'000, 100'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    absl::Status written = Create(path_)->Write(std::string(150'000, 'x'));
    std::ofstream(folder_ + "/status") << written.ToString();
  });
  EXPECT_EQ(status, 0);
  EXPECT_THAT(ReadAll(folder_ + "/status"),
              StartsWith(absl::StrCat("RESOURCE_EXHAUSTED: ", path_, ": cannot write 50000 bytes after 100000: ")));
  EXPECT_THAT(Names(folder_), UnorderedElementsAre("status"));
}

TEST_P(OutputFileTest, AKilledProcessLeavesTheOldFile) {
  std::ofstream(path_) << "before";
  // SIGKILL leaves a file that has a partial name.
  std::vector<int> signals = {SIGINT, SIGTERM, SIGHUP};
  if (GetParam() == OutputFile::Naming::kUnnamed) signals.push_back(SIGKILL);
  for (const int signal_number : signals) {
    const int status = InChild([&] {
      absl::StatusOr<OutputFile> file = Create(path_);
      if (file->Write(std::string(1'000'000, 'x')).ok()) raise(signal_number);
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal_number) << status;
    EXPECT_THAT(Names(folder_), UnorderedElementsAre("model.pt"));
    EXPECT_EQ(ReadAll(path_), "before");
  }
}

TEST_P(OutputFileTest, AFolderThatIsRemovedMeanwhileIsAnError) {
  ASSERT_OK_AND_ASSIGN(OutputFile file, Create(path_));
  ASSERT_OK(file.Write("bytes"));
  fs::remove_all(folder_);
  EXPECT_THAT(file.Commit(), StatusIs(absl::StatusCode::kNotFound, HasSubstr(path_)));
  fs::create_directory(folder_);
}

TEST_P(OutputFileTest, AWriteProtectedFolderIsRefused) {
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  CallObeyingPermissions([this] {
    EXPECT_THAT(Create(path_),
                StatusIs(absl::StatusCode::kPermissionDenied, AllOf(HasSubstr(path_), HasSubstr(folder_))));
  });
  EXPECT_THAT(Names(folder_), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Namings, OutputFileTest,
                         testing::Values(OutputFile::Naming::kUnnamed, OutputFile::Naming::kPartialName),
                         [](const auto& info) {
                           return info.param == OutputFile::Naming::kUnnamed ? "Unnamed" : "PartialName";
                         });

}  // namespace
}  // namespace modelport
