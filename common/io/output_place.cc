#include "common/io/output_place.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

// `path`, of which only the folder may hold links.
absl::StatusOr<OutputPlace> Split(const std::string& path, const fs::path& target) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : ".";
  std::error_code error;
  const fs::path resolved = fs::canonical(folder, error);
  if (error) return absl::NotFoundError(absl::StrCat(path, ": the folder ", folder.string(), " does not exist"));
  if (!fs::is_directory(resolved, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", folder.string(), " is not a folder"));
  }
  return OutputPlace{resolved, target.filename()};
}

absl::StatusOr<OutputPlace> FindExisting(const std::string& path, mode_t mode) {
  if (S_ISDIR(mode)) return absl::InvalidArgumentError(absl::StrCat(path, ": is a folder, not a file"));
  if (!S_ISREG(mode)) return absl::InvalidArgumentError(absl::StrCat(path, ": is not a regular file"));
  if (access(path.c_str(), W_OK) != 0) {
    return absl::PermissionDeniedError(absl::StrCat(path, ": exists and is write-protected"));
  }
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  if (error) return absl::ErrnoToStatus(error.value(), path);
  return Split(path, target);
}

}  // namespace

absl::StatusOr<OutputPlace> FindOutputPlace(const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError("the path of the output is empty");
  struct stat info;
  if (stat(path.c_str(), &info) == 0) return FindExisting(path, info.st_mode);
  if (errno != ENOENT && errno != ENOTDIR) return absl::ErrnoToStatus(errno, path);
  if (lstat(path.c_str(), &info) == 0) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a symbolic link to a file that does not exist"));
  }
  if (path.back() == '/') return absl::InvalidArgumentError(absl::StrCat(path, ": names a folder, not a file"));
  return Split(path, path);
}

absl::Status CheckNotSameFile(const std::string& output, const std::string& input) {
  std::error_code error;  // A file that does not exist is no other file.
  if (!fs::equivalent(output, input, error)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(output, ": is the input ", input, " itself; write to another file"));
}

}  // namespace modelport
