#include "common/io/output_place.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

// The place of `target`, which is `path` with its last link resolved.
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

// In a sticky folder, such as /tmp, only the owner of a file or of the folder may replace the file.
absl::Status CheckMayBeReplaced(const std::string& path, const std::string& folder, uid_t owner) {
  struct stat info;
  if (stat(folder.c_str(), &info) != 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": ", folder));
  const uid_t user = geteuid();
  if ((info.st_mode & S_ISVTX) == 0 || user == 0 || user == owner || user == info.st_uid) return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrCat(path, ": exists and belongs to another user, and in the folder ",
                                                  folder, ", which is sticky, only that user may replace it"));
}

absl::StatusOr<OutputPlace> FindExisting(const std::string& path, const struct stat& info) {
  if (S_ISDIR(info.st_mode)) return absl::InvalidArgumentError(absl::StrCat(path, ": is a folder, not a file"));
  if (!S_ISREG(info.st_mode)) return absl::InvalidArgumentError(absl::StrCat(path, ": is not a regular file"));
  if (access(path.c_str(), W_OK) != 0) {
    if (errno != EACCES) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be replaced"));
    return absl::PermissionDeniedError(
        absl::StrCat(path, ": exists and is write-protected; chmod u+w it, or name another file"));
  }
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  if (error) return absl::ErrnoToStatus(error.value(), path);
  ASSIGN_OR_RETURN(OutputPlace place, Split(path, target));
  RETURN_IF_ERROR(CheckMayBeReplaced(path, place.folder, info.st_uid));
  return place;
}

}  // namespace

absl::StatusOr<OutputPlace> FindOutputPlace(const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError("the path of the output is empty");
  struct stat info;
  if (stat(path.c_str(), &info) == 0) return FindExisting(path, info);
  if (errno != ENOENT && errno != ENOTDIR) return absl::ErrnoToStatus(errno, path);
  if (lstat(path.c_str(), &info) == 0) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a symbolic link to a file that does not exist"));
  }
  if (path.back() == '/') return absl::InvalidArgumentError(absl::StrCat(path, ": names a folder, not a file"));
  return Split(path, path);
}

}  // namespace modelport
