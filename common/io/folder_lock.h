#ifndef MODELPORT_COMMON_IO_FOLDER_LOCK_H_
#define MODELPORT_COMMON_IO_FOLDER_LOCK_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/io/file_descriptor.h"

namespace modelport {

// The exclusive lock of a folder: anyone else who takes it waits until this object dies. The system releases the lock
// of a process that is killed. Processes on one machine exclude each other. Processes on different machines do so only
// if their network file system can lock folders.
class FolderLock {
 public:
  // Waits for the lock of the folder `path` for at most `patience`.
  //   PermissionDenied   the folder cannot be read
  //   Unavailable        another process holds the lock for longer
  //   others             as the system reports
  static absl::StatusOr<FolderLock> Take(const std::string& path, absl::Duration patience = absl::Minutes(1));

  // Waits until the names in the folder are on the disk.
  absl::Status Sync() const;

 private:
  FolderLock(std::string path, FileDescriptor folder) : path_(std::move(path)), folder_(std::move(folder)) {}

  std::string path_;
  FileDescriptor folder_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_FOLDER_LOCK_H_
