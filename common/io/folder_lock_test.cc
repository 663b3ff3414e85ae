#include "common/io/folder_lock.h"

#include <sys/stat.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "common/io/testing/obey_permissions.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

std::string MakeFolder() {
  std::string pattern = testing::TempDir() + "/lock_XXXXXX";
  return mkdtemp(pattern.data());
}

TEST(FolderLockTest, OneAtATime) {
  const std::string folder = MakeFolder();
  {
    ASSERT_OK_AND_ASSIGN(const FolderLock lock, FolderLock::Take(folder));
    EXPECT_THAT(FolderLock::Take(folder, absl::ZeroDuration()),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("the lock of the folder " + folder)));
  }
  EXPECT_OK(FolderLock::Take(folder, absl::ZeroDuration()));
}

TEST(FolderLockTest, WaitsForItsTurn) {
  const std::string folder = MakeFolder();
  absl::StatusOr<FolderLock> lock = FolderLock::Take(folder);
  ASSERT_OK(lock);
  std::thread waiting([&] { EXPECT_OK(FolderLock::Take(folder)); });
  lock = absl::CancelledError();
  waiting.join();
}

TEST(FolderLockTest, Syncs) {
  ASSERT_OK_AND_ASSIGN(const FolderLock lock, FolderLock::Take(MakeFolder()));
  EXPECT_OK(lock.Sync());
}

TEST(FolderLockTest, AMissingFolderIsAnError) {
  EXPECT_THAT(FolderLock::Take(MakeFolder() + "/missing"), StatusIs(absl::StatusCode::kNotFound, HasSubstr("missing")));
}

TEST(FolderLockTest, AnUnreadableFolderIsAnErrorWithACure) {
  const std::string folder = MakeFolder();
  chmod(folder.c_str(), 0333);
  CallObeyingPermissions([&] {
    EXPECT_THAT(FolderLock::Take(folder), StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("chmod u+r")));
  });
}

}  // namespace
}  // namespace modelport
