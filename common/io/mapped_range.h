#ifndef MODELPORT_COMMON_IO_MAPPED_RANGE_H_
#define MODELPORT_COMMON_IO_MAPPED_RANGE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// So many mappings can be told apart: the most shards that a checkpoint may have, and files beside them.
inline constexpr int kMappedRanges = 1024;

// The memory to which a file is mapped. While this object lives, an access to bytes that are missing there, because the
// file was truncated or its disk fails, ends the process with exit status 1 and an error on stderr that names the file.
// This holds for up to kMappedRanges objects at a time; for the others SIGBUS ends the process.
class MappedRange {
 public:
  // `bytes` is the mapping of the file `path`. `descriptor` is the open file; it must outlive this object.
  MappedRange(absl::string_view bytes, int descriptor, const std::string& path);
  ~MappedRange();
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

 private:
  int slot_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_MAPPED_RANGE_H_
