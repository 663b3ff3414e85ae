#include "common/io/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/io/folder_lock.h"
#include "common/io/partial_name.h"
#include "common/io/signals.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

absl::Status ExistsAlready(const std::string& path) {
  return absl::AlreadyExistsError(absl::StrCat(path, ": exists already; name a new folder (it may lie in this one)"));
}

}  // namespace

OutputFolder::OutputFolder(std::string path, OutputPlace place)
    : path_(std::move(path)),
      place_(std::move(place)),
      partial_(absl::make_unique<PartialName>(MakePartialPath(place_))) {}

absl::StatusOr<OutputFolder> OutputFolder::Create(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) == 0) return ExistsAlready(path);
  ASSIGN_OR_RETURN(OutputPlace place, FindOutputPlace(std::string(absl::StripSuffix(path, "/"))));
  const absl::StatusOr<FolderLock> lock = FolderLock::Take(place.folder);
  RETURN_IF_ERROR(Annotate(lock.status(), path));
  RemoveDeadPartials(place, *lock);
  OutputFolder folder(path, std::move(place));
  if (mkdir(folder.partial_path().c_str(), 0777) != 0) {
    const int error = errno;
    folder.partial_->Release();  // Something else may have this path.
    return absl::ErrnoToStatus(error, absl::StrCat(path, ": cannot make a folder in ", folder.place_.folder));
  }
  const std::string alive = AliveFile(folder.partial_path());
  folder.alive_ = FileDescriptor(open(alive.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  if (!folder.alive_.ok()) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot write in it"));
  MarkAlive(folder.alive_);
  return folder;
}

absl::Status OutputFolder::Commit() {
  const absl::StatusOr<FolderLock> lock = FolderLock::Take(place_.folder);
  RETURN_IF_ERROR(Annotate(lock.status(), path_));
  const std::string partial = partial_->path(), path = place_.Path();
  const HoldSignals hold;
  if (unlink(AliveFile(partial).c_str()) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat(path_, ": cannot remove a file from it"));
  }
  // This replaces an empty folder that another process may have made at `path`, and fails for anything else.
  if (!RenameFile(partial, path)) {
    if (errno == ENOTEMPTY || errno == EEXIST || errno == ENOTDIR) return ExistsAlready(path_);
    return absl::ErrnoToStatus(errno, absl::StrCat(path_, ": cannot give it its name"));
  }
  const absl::Status synced = Annotate(lock->Sync(), path_);
  if (!synced.ok() && RenameFile(path, partial)) return synced;
  partial_->Release();
  if (synced.ok()) return synced;
  return absl::Status(synced.code(), absl::StrCat(synced.message(), "\n  it could not be undone: ", path_,
                                                  " is complete; use it, or remove it and run this again"));
}

}  // namespace modelport
