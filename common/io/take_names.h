#ifndef MODELPORT_COMMON_IO_TAKE_NAMES_H_
#define MODELPORT_COMMON_IO_TAKE_NAMES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/io/folder_lock.h"
#include "common/io/output_place.h"
#include "common/io/partial_name.h"

namespace modelport {

// A whole, synced file with a partial name, which is to take the name `place`.
struct NamedFile {
  std::string path;      // For messages.
  OutputPlace place;     // In the folder of all the others.
  PartialName* partial;  // Released when the file has its name.
};

// Gives files of one folder their names, in place of what had them, and syncs the folder. Each file describes those
// before it and never stands beside others: at any moment, and so after a kill -9 or a crash, the names have their old
// files, or their new files, or those behind the first have none. Signals wait meanwhile. `lock` is that of the folder.
// On an error everything is as it was; where that cannot be brought about, the message says what there is.
absl::Status TakeNames(const std::vector<NamedFile>& files, const FolderLock& lock);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_TAKE_NAMES_H_
