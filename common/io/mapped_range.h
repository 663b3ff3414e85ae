#ifndef MODELPORT_COMMON_IO_MAPPED_RANGE_H_
#define MODELPORT_COMMON_IO_MAPPED_RANGE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// The memory that a file is mapped to. While it lives, a process that misses bytes there, because the file was cut
// short or its disk fails, says so and names the file; it ends with status 1. That holds for 16 files at a time.
class MappedRange {
 public:
  // `bytes` are those of the file `path`, which is open as `descriptor` as long as this object lives.
  MappedRange(absl::string_view bytes, int descriptor, const std::string& path);
  ~MappedRange();
  MappedRange(const MappedRange&) = delete;
  MappedRange& operator=(const MappedRange&) = delete;

 private:
  int slot_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_MAPPED_RANGE_H_
