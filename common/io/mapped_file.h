// A file mapped into memory, read-only. If another process truncates the file, or the disk cannot read it, the process
// ends when it accesses the missing bytes: after the steps of fatal_signal.h, with an error on stderr that names the
// file, and with exit status 1.
#ifndef MODELPORT_COMMON_IO_MAPPED_FILE_H_
#define MODELPORT_COMMON_IO_MAPPED_FILE_H_

#include <sys/stat.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/io/file_descriptor.h"
#include "common/io/mapped_range.h"

namespace modelport {

class MappedFile {
 public:
  // Maps the regular file at `path`, and reads no byte of it yet. Messages begin with the path.
  //   NotFound          no such file
  //   InvalidArgument   a folder, a pipe, a device
  //   PermissionDenied, Unavailable   as the system reports
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(const std::string& path);

  // FailedPrecondition if the file was written to, or its inode was changed in another way, since it was opened: the
  // bytes that were read may then belong to different versions of the file. Call it after reading.
  absl::Status CheckUnchanged() const;

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Valid as long as this object lives; empty for an empty file.
  absl::string_view bytes() const { return bytes_; }

 private:
  MappedFile(std::string path, FileDescriptor file, const struct stat& opened, absl::string_view bytes);

  const std::string path_;
  const FileDescriptor file_;
  const struct stat opened_;
  const absl::string_view bytes_;
  const MappedRange range_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_MAPPED_FILE_H_
