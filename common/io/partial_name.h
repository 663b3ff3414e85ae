#ifndef MODELPORT_COMMON_IO_PARTIAL_NAME_H_
#define MODELPORT_COMMON_IO_PARTIAL_NAME_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/io/file_descriptor.h"
#include "common/io/folder_lock.h"
#include "common/io/output_place.h"

namespace modelport {

// A path in the folder of `place` for an unfinished file. `ls` hides it, and it is random, so that no other process
// uses it.
std::string MakePartialPath(const OutputPlace& place);

// Whether `name` has the form of the file names that MakePartialPath makes for `place`.
bool IsPartialName(absl::string_view name, const OutputPlace& place);

// The path of an unfinished file or of an unfinished folder without subfolders. The destructor removes it, and so does
// a signal other than SIGKILL that ends the process. A signal removes the paths of up to 16 objects. Make this object
// before the file, so that no signal arrives in between.
class PartialName {
 public:
  explicit PartialName(const std::string& path);
  ~PartialName();
  PartialName(const PartialName&) = delete;
  PartialName& operator=(const PartialName&) = delete;

  const std::string& path() const { return path_; }

  // From now on, neither the destructor nor a signal removes the path.
  void Release();

 private:
  const std::string path_;
  const int slot_;
  bool released_ = false;
};

// Marks the open file `file`, which has a partial name, as in use by a living process. The mark lasts until the
// descriptor is closed.
void MarkAlive(const FileDescriptor& file);

// The path of the file that carries the mark of the partial folder `path`. The caller creates the file in the folder,
// marks it, and removes it when the folder is complete.
std::string AliveFile(const std::string& path);

// Removes the files and folders with partial names for `place` that a process left when a kill -9 or a crash ended it.
// `lock` must lock the folder of `place`: processes create and mark partial files under that lock. A file that cannot
// be examined or removed stays.
void RemoveDeadPartials(const OutputPlace& place, const FolderLock& lock);

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

#endif  // MODELPORT_COMMON_IO_PARTIAL_NAME_H_
