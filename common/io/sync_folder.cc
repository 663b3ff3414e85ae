#include "common/io/sync_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/io/file_descriptor.h"

namespace modelport {

absl::Status SyncFolder(const std::string& path) {
  const FileDescriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder, which is then theirs to keep.
  if (!folder.ok() || (fsync(folder.number()) != 0 && errno != EINVAL)) return absl::ErrnoToStatus(errno, path);
  return absl::OkStatus();
}

}  // namespace modelport
