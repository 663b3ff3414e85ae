// A file mapped into memory, read-only.
#ifndef MODELPORT_COMMON_IO_MAPPED_FILE_H_
#define MODELPORT_COMMON_IO_MAPPED_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

class MappedFile {
 public:
  // Maps the regular file at `path`. No byte is read until it is used. Messages begin with the path.
  //   NotFound          no such file
  //   InvalidArgument   a folder, a pipe, a device
  //   PermissionDenied, Unavailable   as the system reports
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(const std::string& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Valid as long as this object lives; empty for an empty file.
  absl::string_view bytes() const { return bytes_; }

 private:
  explicit MappedFile(absl::string_view bytes) : bytes_(bytes) {}

  absl::string_view bytes_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_MAPPED_FILE_H_
