// Outputs on a small file system that fills up, on one that is read-only, and on another one than TMPDIR. A mount
// namespace of the test's own holds the file systems; where the system does not allow it, these tests are skipped.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/faults/faults.h"
#include "tests/support/tool_process.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Gives this process, which must have one thread, mounts of its own: as root, or as root of a user namespace.
bool TakeMounts() {
  const uid_t user = geteuid();
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  }
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

bool MountTmpfs(const std::string& folder, unsigned long flags, const std::string& options) {
  return mount("tmpfs", folder.c_str(), "tmpfs", flags, options.c_str()) == 0;
}

class FileSystemsTest : public testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() { has_mounts_ = TakeMounts(); }

  void SetUp() override {
    folder_ = EmptyFolder("small");
    if (!has_mounts_ || !MountTmpfs(folder_, 0, "size=64k")) {
      GTEST_SKIP() << "this system lets no test mount a tmpfs: " << std::strerror(errno);
    }
  }

  void TearDown() override { umount(folder_.c_str()); }

  // Makes the file system anew, of `pages` pages and with the files of an earlier export.
  void MakeFileSystem(int pages) {
    umount(folder_.c_str());
    ASSERT_TRUE(MountTmpfs(folder_, 0, absl::StrCat("size=", pages * sysconf(_SC_PAGESIZE))));
    if (GetParam() == "package") return;
    std::ofstream(folder_ + "/m.pt") << "old artifact";
    std::ofstream(folder_ + "/m.manifest.json") << "old manifest";
  }

  ToolResult Run() const { return RunTool(GetParam(), ScaleArguments(GetParam()), folder_); }

 private:
  static bool has_mounts_;

 protected:
  std::string folder_;
};

bool FileSystemsTest::has_mounts_ = false;

TEST_P(FileSystemsTest, AFullDiskIsAnErrorThatNamesTheFileAndChangesNothing) {
  for (int pages = 2;; ++pages) {
    MakeFileSystem(pages);
    const Files before = FilesIn(folder_);
    const ToolResult result = Run();
    if (result.exit_status == 0) {
      EXPECT_GT(pages, 3);
      break;
    }
    SCOPED_TRACE(absl::StrCat(pages, " pages"));
    EXPECT_THAT(result.err, AllOf(StartsWith("RESOURCE_EXHAUSTED: "), HasSubstr("the disk is full")));
    EXPECT_THAT(result.err, testing::Not(HasSubstr(".partial")));
    EXPECT_EQ(FilesIn(folder_), before);
    ASSERT_LT(pages, 100);
  }
}

TEST_P(FileSystemsTest, AReadOnlyOneIsAnError) {
  MakeFileSystem(16);
  const Files before = FilesIn(folder_);
  ASSERT_TRUE(MountTmpfs(folder_, MS_REMOUNT | MS_RDONLY, "")) << std::strerror(errno);
  const ToolResult result = Run();
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr(GetParam() == "package" ? ": out: " : ": m.pt: "), HasSubstr("Read-only file system")));
  EXPECT_EQ(FilesIn(folder_), before);
}

// An output is written beside its place, so that no rename crosses file systems and TMPDIR does not matter.
TEST_P(FileSystemsTest, AnotherOneThanTmpdirGetsTheOutput) {
  MakeFileSystem(100);
  const std::string temporary = EmptyFolder("temporary");
  const ToolResult result =
      RunTool(GetParam(), ScaleArguments(GetParam()), folder_, [&] { setenv("TMPDIR", temporary.c_str(), 1); });
  EXPECT_EQ(result.exit_status, 0) << result.err;
  struct stat output, other;
  ASSERT_EQ(stat(folder_.c_str(), &output), 0);
  ASSERT_EQ(stat(temporary.c_str(), &other), 0);
  EXPECT_NE(output.st_dev, other.st_dev);
  EXPECT_THAT(FileNames(temporary), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Tools, FileSystemsTest, testing::Values("export", "package"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace modelport
