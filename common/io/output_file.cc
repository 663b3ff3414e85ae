#include "common/io/output_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"

namespace modelport {

absl::StatusOr<OutputFile> OutputFile::Create(const std::string& path) {
  signal(SIGXFSZ, SIG_IGN);
  std::string folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR, 0644);
  if (fd < 0) return absl::InvalidArgumentError(absl::StrCat(path, ": ", std::strerror(errno)));
  return OutputFile(fd, path);
}
OutputFile::OutputFile(OutputFile&& other) noexcept : fd_(other.fd_), path_(other.path_) { other.fd_ = -1; }
OutputFile::~OutputFile() { if (fd_ >= 0) close(fd_); }
absl::Status OutputFile::Write(absl::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t n = write(fd_, bytes.data(), bytes.size());
    if (n < 0) return absl::ResourceExhaustedError(absl::StrCat(path_, ": ", std::strerror(errno)));
    bytes.remove_prefix(n);
  }
  return absl::OkStatus();
}
std::string OutputFile::ReadablePath() const { return absl::StrCat("/proc/self/fd/", fd_); }
absl::Status OutputFile::Commit() {
  fsync(fd_);
  const std::string temp = path_ + ".tmp";
  unlink(temp.c_str());
  if (linkat(AT_FDCWD, ReadablePath().c_str(), AT_FDCWD, temp.c_str(), AT_SYMLINK_FOLLOW) != 0) return absl::InternalError(std::strerror(errno));
  rename(temp.c_str(), path_.c_str());
  return absl::OkStatus();
}
absl::Status CheckNotSameFile(const std::string&, const std::string&) { return absl::OkStatus(); }
}  // namespace modelport
