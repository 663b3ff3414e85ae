#ifndef MODELPORT_COMMON_IO_WRITER_H_
#define MODELPORT_COMMON_IO_WRITER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace modelport {

// Takes bytes in order. One writer may wrap another, which it must not outlive, and add something: a digest, progress.
class Writer {
 public:
  virtual ~Writer() = default;

  // Appends `bytes`, which the caller may change afterwards. Nothing can be written after an error.
  virtual absl::Status Write(absl::string_view bytes) = 0;

  // The same for bytes that stay as they are as long as this writer lives, so that it need not copy them.
  virtual absl::Status WriteLasting(absl::string_view bytes) { return Write(bytes); }
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_WRITER_H_
