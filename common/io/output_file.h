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

// A file that gets its name only when it is complete. Until then, a file that has the name already stays unchanged. An
// output that is not committed leaves nothing behind, even if the process is killed:
//
//   ASSIGN_OR_RETURN(OutputFile file, OutputFile::Create("model.pt"));
//   RETURN_IF_ERROR(file.Write(bytes));
//   RETURN_IF_ERROR(Check(file.ReadablePath()));
//   return file.Commit();
//
// If the file system has no unnamed files (NFS, for example), ".model.pt.XXXXXX.partial" contains the bytes meanwhile.
// Only a kill -9 or a crash leaves that file behind, until the next output of this name is created. Messages begin with
// the path given to Create.
class OutputFile : public Writer {
 public:
  // Whether the file has a name while it is incomplete.
  enum class Naming { kUnnamed, kPartialName };

  // Opens an output for `path`. From the first call on, the process ignores SIGXFSZ, so that a file size limit is an
  // error of Write. Where kUnnamed is not possible, the file gets a partial name.
  //   InvalidArgument    `path` is a folder, a device, a link to nothing, or an input (input_record.h)
  //   NotFound           its folder does not exist
  //   PermissionDenied   the folder cannot be read or written, or the existing file cannot be replaced
  //   Unavailable        another process has held the folder's lock for a minute
  static absl::StatusOr<OutputFile> Create(const std::string& path, Naming naming = Naming::kUnnamed);

  // Creates `path`, writes `bytes` and commits.
  static absl::Status WriteWhole(const std::string& path, absl::string_view bytes);

  // ResourceExhausted if the disk is full or a limit is reached.
  absl::Status Write(absl::string_view bytes) override;

  // A path at which this process can read what was written, until Commit.
  std::string ReadablePath() const;

  // Waits until what was written is on the disk.
  absl::Status Sync();

  // Syncs the file and gives it its name, atomically in place of a file that has the name. The process's umask decides
  // who may read it. InvalidArgument if an input has the name. On an error nothing has changed, or the message says
  // which files there are now. Call it once, as the last method.
  absl::Status Commit() { return CommitTogether({this}); }

  // The same for files of one folder, each of which describes those before it. A file never stands beside files that it
  // does not describe, even if the process is killed, or if another process commits under the same names at the same
  // time (partial_name.h).
  static absl::Status CommitTogether(const std::vector<OutputFile*>& files);

  // The folder and name that the file will have, with symbolic links resolved.
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
  std::unique_ptr<PartialName> partial_;  // The name that the file has now, if any.
  int64_t written_ = 0;                   // The number of bytes written.
  int64_t advised_ = 0;                   // The number of bytes that the system was asked to bring to the disk.
  int64_t reserved_ = 0;                  // The number of bytes for which the disk has reserved space.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_OUTPUT_FILE_H_
