#ifndef MODELPORT_COMMON_IO_TAKE_NAMES_H_
#define MODELPORT_COMMON_IO_TAKE_NAMES_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "common/io/folder_lock.h"
#include "common/io/output_place.h"
#include "common/io/partial_name.h"

namespace modelport {

// A complete, synced file with a partial name, which is to get the name `place`.
struct NamedFile {
  std::string path;      // The path that messages begin with.
  OutputPlace place;     // All files of one call have the same folder.
  PartialName* partial;  // It is released when the file has its name.
};

// Gives files of one folder their names, in place of the files that have them, and syncs the folder. Each file
// describes those before it and never stands beside files that it does not describe: at any moment, and so after a
// kill -9 or a crash, the names lead to the old files or to the new files, of which the last ones may be missing.
// Signals wait meanwhile. `lock` must lock the folder. An error restores the old names; if that fails, too, the message
// says which files there are now.
absl::Status TakeNames(const std::vector<NamedFile>& files, const FolderLock& lock);

// The inode of the file, folder or link at `path`; none if nothing is there.
absl::optional<ino_t> FindInode(const std::string& path);

// Renames the file or folder `from` to `to`. If it returns false, errno says why. A network file system may report an
// error although it renamed the file, because it repeats a call whose answer was lost; then it returns true.
bool RenameFile(const std::string& from, const std::string& to);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_TAKE_NAMES_H_
