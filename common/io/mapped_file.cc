#include "common/io/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

absl::Status SystemError(const std::string& path) {
  if (errno == ENOENT) return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  return absl::ErrnoToStatus(errno, path);
}

bool SameTime(const timespec& a, const timespec& b) { return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec; }

}  // namespace

MappedFile::MappedFile(std::string path, FileDescriptor file, const struct stat& opened, absl::string_view bytes)
    : path_(std::move(path)),
      file_(std::move(file)),
      opened_(opened),
      bytes_(bytes),
      range_(bytes_, file_.number(), path_) {}

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.ok()) return SystemError(path);
  struct stat info;
  if (fstat(file.number(), &info) != 0) return SystemError(path);
  if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError(absl::StrCat(path, ": is a folder, not a file"));
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError(absl::StrCat(path, ": is not a regular file"));

  const size_t size = static_cast<size_t>(info.st_size);
  absl::string_view bytes;
  if (size > 0) {  // mmap rejects an empty mapping.
    void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
    if (data == MAP_FAILED) return SystemError(path);
    bytes = absl::string_view(static_cast<const char*>(data), size);
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(path, std::move(file), info, bytes));
}

absl::Status MappedFile::CheckUnchanged() const {
  struct stat now;
  if (fstat(file_.number(), &now) != 0) return SystemError(path_);
  if (now.st_size == opened_.st_size && SameTime(now.st_mtim, opened_.st_mtim) &&
      SameTime(now.st_ctim, opened_.st_ctim)) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(path_, ": changed while it was read\n  run this again when nothing writes to the file"));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace modelport
