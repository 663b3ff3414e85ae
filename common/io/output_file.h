#ifndef MODELPORT_COMMON_IO_OUTPUT_FILE_H_
#define MODELPORT_COMMON_IO_OUTPUT_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/io/file_descriptor.h"
#include "common/io/output_place.h"
#include "common/io/partial_name.h"
#include "common/io/writer.h"

namespace modelport {

// A file that is written beside its place and gets its name only when it is whole. What has the name until then stays
// as it is, and an output that is not committed leaves nothing behind, even if the process is killed:
//
//   ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create("model.pt"));
//   RETURN_IF_ERROR(file.Write(bytes));
//   RETURN_IF_ERROR(Check(file.ReadablePath()));
//   return file.Commit();
//
// Where the file system has no unnamed files (NFS, say), the bytes lie in ".model.pt.XXXXXX.partial" meanwhile. Only a
// kill -9 or a crash leaves that behind, until the next output of this name is created. Messages begin with the path
// given to Create.
class OutputFile : public Writer {
 public:
  // Whether the bytes have a name before the file is whole.
  enum class Naming { kUnnamed, kPartialName };

  // Opens an output for `path`. From the first call on, the process ignores SIGXFSZ, so that a file size limit is an
  // error of Write. `naming` is what to try first.
  //   InvalidArgument    `path` is a folder, a device or a link to nothing
  //   NotFound           its folder does not exist
  //   PermissionDenied   the folder cannot be read or written, or the file that is there not be replaced
  //   Unavailable        another process has had the folder's lock for a minute
  static absl::StatusOr<OutputFile> Create(const std::string& path, Naming naming = Naming::kUnnamed);

  // ResourceExhausted if the disk is full or a limit is reached.
  absl::Status Write(absl::string_view bytes) override;

  // Where what was written can be read by this process until Commit.
  std::string ReadablePath() const;

  // Waits until the disk has what was written.
  absl::Status Sync();

  // Syncs and gives the file its name, at once in place of what had it; the process's umask decides who may read it. On
  // an error all is as it was, or the message says what there is. To be called once, and last.
  absl::Status Commit() { return CommitTogether({this}); }

  // The same for files of one folder, each of which describes those before it: it never stands beside others, whatever
  // ends the process, and whatever other processes commit under the same names at the same time (take_names.h).
  static absl::Status CommitTogether(const std::vector<OutputFile*>& files);

  // What the file will be called, with symbolic links resolved.
  const OutputPlace& place() const { return place_; }

 private:
  OutputFile(std::string path, OutputPlace place) : path_(std::move(path)), place_(std::move(place)) {}

  absl::Status OpenUnnamed();
  absl::Status OpenPartial();
  absl::Status Finish();
  absl::Status LinkPartial();
  void AdviseSystem();
  absl::Status Failure(absl::string_view doing) const;

  std::string path_;
  OutputPlace place_;
  FileDescriptor file_;
  std::unique_ptr<PartialName> partial_;  // The name that the bytes have now, if any.
  int64_t written_ = 0;                   // Bytes.
  int64_t advised_ = 0;                   // Bytes whose way to the disk has begun.
  int64_t reserved_ = 0;                  // Bytes that the disk has room for.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_OUTPUT_FILE_H_
