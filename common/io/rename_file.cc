#include "common/io/rename_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

namespace modelport {

absl::optional<ino_t> FindInode(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 ? absl::make_optional(info.st_ino) : absl::nullopt;
}

bool RenameFile(const std::string& from, const std::string& to) {
  const absl::optional<ino_t> inode = FindInode(from);
  if (rename(from.c_str(), to.c_str()) == 0) return true;
  const int error = errno;
  const bool renamed = inode && FindInode(to) == inode && !FindInode(from);
  errno = error;
  return renamed;
}

}  // namespace modelport
