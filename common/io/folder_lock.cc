#include "common/io/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace modelport {
namespace {

// A process holds the lock for about as long as the disk takes to sync a folder.
constexpr absl::Duration kRetryEvery = absl::Milliseconds(5);

absl::Status OpenError(const std::string& path) {
  if (errno == EACCES) {
    return absl::PermissionDeniedError(absl::StrCat("cannot read the folder ", path,
                                                    ", so it cannot be locked and synced for an output: chmod u+r it"));
  }
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot open the folder ", path));
}

}  // namespace

absl::StatusOr<FolderLock> FolderLock::Take(const std::string& path, absl::Duration patience) {
  FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.ok()) return OpenError(path);
  const absl::Time deadline = absl::Now() + patience;
  while (flock(folder.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return absl::ErrnoToStatus(errno, absl::StrCat("cannot lock the folder ", path));
    if (absl::Now() >= deadline) {
      return absl::UnavailableError(absl::StrCat("another process has held the lock of the folder ", path, " for ",
                                                 absl::FormatDuration(patience),
                                                 ": run this again when that process is done"));
    }
    absl::SleepFor(kRetryEvery);
  }
  return FolderLock(path, std::move(folder));
}

absl::Status FolderLock::Sync() const {
  // Some file systems reject fsync on folders; ignore that.
  if (fsync(folder_.number()) == 0 || errno == EINVAL) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot sync the folder ", path_));
}

}  // namespace modelport
