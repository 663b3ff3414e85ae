#ifndef MODELPORT_COMMON_IO_DEAD_PARTIALS_H_
#define MODELPORT_COMMON_IO_DEAD_PARTIALS_H_

#include <string>

#include "common/io/file_descriptor.h"
#include "common/io/folder_lock.h"
#include "common/io/output_place.h"

namespace modelport {

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

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_DEAD_PARTIALS_H_
