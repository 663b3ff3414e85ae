#ifndef MODELPORT_COMMON_PROGRESS_PROGRESS_WRITER_H_
#define MODELPORT_COMMON_PROGRESS_PROGRESS_WRITER_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/io/writer.h"
#include "common/progress/progress.h"

namespace modelport {

// Writes to another writer and adds the number of bytes to a progress bar.
class ProgressWriter : public Writer {
 public:
  ProgressWriter(Writer& out, Progress& progress) : out_(out), progress_(progress) {}

  absl::Status Write(absl::string_view bytes) override { return Counted(out_.Write(bytes), bytes); }
  absl::Status WriteLasting(absl::string_view bytes) override { return Counted(out_.WriteLasting(bytes), bytes); }

 private:
  absl::Status Counted(const absl::Status& written, absl::string_view bytes) {
    progress_.Add(bytes.size());
    return written;
  }

  Writer& out_;
  Progress& progress_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_PROGRESS_PROGRESS_WRITER_H_
