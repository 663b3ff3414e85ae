#ifndef MODELPORT_COMMON_IO_RENAME_FILE_H_
#define MODELPORT_COMMON_IO_RENAME_FILE_H_

#include <sys/types.h>

#include <string>

#include "absl/types/optional.h"

namespace modelport {

// The inode of the file, folder or link at `path`; none if nothing is there.
absl::optional<ino_t> FindInode(const std::string& path);

// Renames the file or folder `from` to `to`. If it returns false, errno says why. A network file system may report an
// error although it renamed the file, because it repeats a call whose answer was lost; then it returns true.
bool RenameFile(const std::string& from, const std::string& to);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_RENAME_FILE_H_
