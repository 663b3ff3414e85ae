#include "common/io/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/io/folder_lock.h"
#include "common/io/input_record.h"
#include "common/io/partial_name.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

constexpr mode_t kMode = 0666;  // Before the umask.

// Measured on ext4 with 1.3 GB: smaller writes cost calls, larger ones make the page cache search for contiguous
// memory.
constexpr size_t kWriteSize = 256 << 10;
// Early write-back lets the disk work while the next bytes are made, so that the sync at the end is short.
constexpr int64_t kAdviseEvery = 8 << 20;
constexpr int64_t kReserveAhead = 64 << 20;

}  // namespace

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path, Naming naming) {
  signal(SIGXFSZ, SIG_IGN);
  ASSIGN_OR_RETURN(OutputPlace place, FindOutputPlace(path));
  RETURN_IF_ERROR(CheckReplacesNoInput(path));
  const absl::StatusOr<FolderLock> lock = FolderLock::Take(place.folder);
  RETURN_IF_ERROR(Annotate(lock.status(), path));
  RETURN_IF_ERROR(Annotate(lock->Sync(), path));
  RemoveDeadPartials(place, *lock);
  OutputFile file(path, std::move(place));
  if (naming == Naming::kUnnamed) RETURN_IF_ERROR(file.OpenUnnamed());
  if (!file.file_.ok()) RETURN_IF_ERROR(file.OpenPartial());
  return file;
}

// Leaves file_ closed if the file system has no unnamed files.
absl::Status OutputFile::OpenUnnamed() {
  file_ = FileDescriptor(open(place_.folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode));
  if (file_.ok() || errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) return absl::OkStatus();
  return Failure(absl::StrCat("cannot write in the folder ", place_.folder));
}

absl::Status OutputFile::OpenPartial() {
  partial_ = absl::make_unique<PartialName>(MakePartialPath(place_));
  file_ = FileDescriptor(open(partial_->path().c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kMode));
  if (!file_.ok()) {
    const absl::Status failure = Failure(absl::StrCat("cannot write in the folder ", place_.folder));
    partial_->Release();
    return failure;
  }
  MarkAlive(file_);
  return absl::OkStatus();
}

absl::Status OutputFile::WriteWhole(const std::string& path, absl::string_view bytes) {
  ASSIGN_OR_RETURN(OutputFile file, Create(path));
  RETURN_IF_ERROR(file.Write(bytes));
  return file.Commit();
}

absl::Status OutputFile::Write(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file_.number(), bytes.data(), std::min(bytes.size(), kWriteSize));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failure(absl::StrCat("cannot write ", bytes.size(), " bytes after ", written_));
    bytes.remove_prefix(count);
    written_ += count;
    if (written_ - advised_ >= kAdviseEvery) AdviseSystem();
  }
  return absl::OkStatus();
}

// Errors are ignored, since Write and Sync do the same work without this.
void OutputFile::AdviseSystem() {
  sync_file_range(file_.number(), advised_, written_ - advised_, SYNC_FILE_RANGE_WRITE);
  advised_ = written_;
  if (written_ + kAdviseEvery <= reserved_) return;
  if (fallocate(file_.number(), FALLOC_FL_KEEP_SIZE, written_, kReserveAhead) == 0)
    reserved_ = written_ + kReserveAhead;
}

std::string OutputFile::ReadablePath() const { return absl::StrCat("/proc/self/fd/", file_.number()); }

absl::Status OutputFile::Sync() {
  if (fsync(file_.number()) != 0) return Failure(absl::StrCat("cannot sync ", written_, " bytes to the disk"));
  return absl::OkStatus();
}

absl::Status OutputFile::CommitTogether(const std::vector<OutputFile*>& files) {
  // What was read after Create was called is an input, too.
  for (const OutputFile* file : files) RETURN_IF_ERROR(CheckReplacesNoInput(file->path_));
  for (OutputFile* file : files) RETURN_IF_ERROR(file->Finish());
  const absl::StatusOr<FolderLock> lock = FolderLock::Take(files[0]->place_.folder);
  RETURN_IF_ERROR(Annotate(lock.status(), files[0]->path_));
  std::vector<NamedFile> named;
  for (OutputFile* file : files) {
    if (file->partial_ == nullptr) RETURN_IF_ERROR(file->LinkPartial());
    named.push_back({file->path_, file->place_, file->partial_.get()});
  }
  RETURN_IF_ERROR(TakeNames(named, *lock));
  for (const OutputFile* file : files) RecordOutput(file->path_);
  return absl::OkStatus();
}

absl::Status OutputFile::Finish() {
  // Frees the space that is reserved beyond the end.
  if (reserved_ > written_ && ftruncate(file_.number(), written_) != 0) return Failure("cannot set the size");
  return Sync();
}

// An unnamed file can be linked only to a name that no file has, so it gets a partial name. A rename can then replace a
// file.
absl::Status OutputFile::LinkPartial() {
  partial_ = absl::make_unique<PartialName>(MakePartialPath(place_));
  const std::string source = ReadablePath();
  if (linkat(AT_FDCWD, source.c_str(), AT_FDCWD, partial_->path().c_str(), AT_SYMLINK_FOLLOW) == 0) {
    return absl::OkStatus();
  }
  const absl::Status failure = Failure("cannot give it its name");
  partial_->Release();
  return failure;
}

// The status of the system call that just failed.
absl::Status OutputFile::Failure(absl::string_view doing) const {
  const int error = errno;
  if (error == ENOSPC) return absl::ResourceExhaustedError(absl::StrCat(path_, ": ", doing, ": the disk is full"));
  if (error == EDQUOT)
    return absl::ResourceExhaustedError(absl::StrCat(path_, ": ", doing, ": the disk quota is used up"));
  if (error == EFBIG) {
    return absl::ResourceExhaustedError(
        absl::StrCat(path_, ": ", doing, ": the file size limit is reached (ulimit -f)"));
  }
  return absl::ErrnoToStatus(error, absl::StrCat(path_, ": ", doing));
}

}  // namespace modelport
