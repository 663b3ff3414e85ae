#ifndef MODELPORT_COMMON_IO_DEAD_PARTIALS_H_
#define MODELPORT_COMMON_IO_DEAD_PARTIALS_H_

#include <string>

#include "common/io/file_descriptor.h"
#include "common/io/folder_lock.h"
#include "common/io/output_place.h"

namespace modelport {

// Marks the open file `file`, which has a partial name, as that of a living process, until its descriptor is closed.
void MarkAlive(const FileDescriptor& file);

// Where the mark of a partial folder `path` is: a file in it, which is opened, marked, and removed in the end.
std::string AliveFile(const std::string& path);

// Removes the files and folders with partial names for `place` whose process is dead, as a kill -9 or a crash leaves
// them. `lock` is that of the folder of `place`, under which partial names are given and marked. What cannot be looked
// at or removed stays.
void RemoveDeadPartials(const OutputPlace& place, const FolderLock& lock);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_DEAD_PARTIALS_H_
