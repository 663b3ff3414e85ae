#ifndef MODELPORT_COMMON_IO_WRITER_H_
#define MODELPORT_COMMON_IO_WRITER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace modelport {

// A sink for bytes. A writer may wrap another one, which must outlive it, and compute a digest or show progress.
class Writer {
 public:
  virtual ~Writer() = default;

  // Appends `bytes`, which the caller may change afterwards. Nothing can be written after an error.
  virtual absl::Status Write(absl::string_view bytes) = 0;

  // The same for bytes that stay valid and unchanged as long as this writer lives, so that it need not copy them.
  virtual absl::Status WriteLasting(absl::string_view bytes) { return Write(bytes); }
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_WRITER_H_
