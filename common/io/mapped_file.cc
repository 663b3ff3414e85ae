#include "common/io/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

absl::Status SystemError(const std::string& path) {
  if (errno == ENOENT) return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  return absl::ErrnoToStatus(errno, path);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const MappedFile>> MappedFile::Open(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return SystemError(path);
  const absl::Cleanup close_file = [descriptor] { close(descriptor); };

  struct stat info;
  if (fstat(descriptor, &info) != 0) return SystemError(path);
  if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError(absl::StrCat(path, ": is a folder, not a file"));
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError(absl::StrCat(path, ": is not a regular file"));

  // An empty mapping is an error to mmap.
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile(absl::string_view()));
  void* const data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) return SystemError(path);
  return std::shared_ptr<const MappedFile>(new MappedFile(absl::string_view(static_cast<const char*>(data), size)));
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

}  // namespace modelport
