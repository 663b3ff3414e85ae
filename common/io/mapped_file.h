// A file mapped into memory, read-only. If another process truncates the file, or the disk cannot read it, the process
// ends when it accesses the missing bytes: after the steps of signals.h, with an error on stderr that names the
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

class MappedFile {
 public:
  // What a file is for. An output may not replace an input (input_record.h). An input that another file names, kNamed,
  // has to lie in its folder itself: a link, which could lead anywhere, is refused.
  enum class Use { kInput, kNamed, kReplaced };

  // Maps the regular file at `path`, and reads no byte of it yet. Messages begin with the path.
  //   NotFound          no such file
  //   InvalidArgument   a folder, a pipe, a device; of kNamed a link
  //   PermissionDenied, Unavailable   as the system reports
  static absl::StatusOr<std::shared_ptr<const MappedFile>> Open(const std::string& path, Use use = Use::kInput);

  // The same for an input, but reads all bytes into memory of this process, where nobody else can change them.
  //   ResourceExhausted   out of memory
  //   DataLoss            the file was truncated meanwhile
  static absl::StatusOr<std::shared_ptr<const MappedFile>> OpenCopy(const std::string& path, Use use = Use::kInput);

  // FailedPrecondition if the file was written to, or its inode was changed in another way, since it was opened, or if
  // a process had it open for writing then: the bytes that were read may belong to different versions of the file. Call
  // it after reading. A process that maps a file for writing can change it without a trace in its inode, so writers are
  // looked for when it is opened, by a lease; a file that this user does not own, and a file system without leases,
  // give none.
  absl::Status CheckUnchanged() const;

  const std::string& path() const { return path_; }

  // What the system said of the open file, before its first byte was read.
  const struct stat& info() const { return opened_; }

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
  const bool had_writer_;
  const absl::string_view bytes_;
  const MappedRange range_;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_MAPPED_FILE_H_
