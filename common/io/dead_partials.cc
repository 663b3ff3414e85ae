#include "common/io/dead_partials.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "common/io/partial_name.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

// Whether certainly no process has marked the file at `path`. It is not certain if the file cannot be opened.
bool IsUnmarked(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return file.ok() && flock(file.number(), LOCK_EX | LOCK_NB) == 0;
}

bool IsDead(const std::string& path) {
  struct stat info;
  if (lstat(path.c_str(), &info) != 0) return false;
  if (S_ISREG(info.st_mode)) return IsUnmarked(path);
  if (!S_ISDIR(info.st_mode)) return false;
  const std::string mark = AliveFile(path);
  return lstat(mark.c_str(), &info) == 0 ? IsUnmarked(mark) : errno == ENOENT;
}

}  // namespace

void MarkAlive(const FileDescriptor& file) { flock(file.number(), LOCK_EX | LOCK_NB); }

std::string AliveFile(const std::string& path) { return path + "/.alive"; }

void RemoveDeadPartials(const OutputPlace& place, const FolderLock&) {
  std::vector<std::string> dead;
  std::error_code error;
  for (fs::directory_iterator entry(place.folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path();
    if (IsPartialName(entry->path().filename().string(), place) && IsDead(path)) dead.push_back(path);
  }
  for (const std::string& path : dead) const PartialName removed(path);
}

}  // namespace modelport
