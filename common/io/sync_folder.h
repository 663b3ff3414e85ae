#ifndef MODELPORT_COMMON_IO_SYNC_FOLDER_H_
#define MODELPORT_COMMON_IO_SYNC_FOLDER_H_

#include <string>

#include "absl/status/status.h"

namespace modelport {

// Waits until the disk has the names in the folder `path`.
absl::Status SyncFolder(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_SYNC_FOLDER_H_
