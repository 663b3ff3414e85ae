#ifndef MODELPORT_COMMON_IO_OUTPUT_FOLDER_H_
#define MODELPORT_COMMON_IO_OUTPUT_FOLDER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/io/file_descriptor.h"
#include "common/io/output_place.h"
#include "common/io/partial_name.h"

namespace modelport {

// A new folder of files, without subfolders, that gets its name only when it is complete. A folder that is not
// committed leaves nothing behind. Only a kill -9 or a crash leaves a ".NAME.XXXXXX.partial", until the next output of
// this name is created. Messages begin with the path given to Create.
class OutputFolder {
 public:
  // Makes a folder that Commit renames to `path`.
  //   AlreadyExists      there is something at `path`
  //   NotFound           the parent folder does not exist
  //   PermissionDenied   the parent folder cannot be read or written
  //   Unavailable        another process has held the parent folder's lock for a minute
  static absl::StatusOr<OutputFolder> Create(const std::string& path);

  // The folder's path until Commit. Write its files there.
  const std::string& partial_path() const { return partial_->path(); }

  // Gives the folder its name. On an error this folder does not have the name, or the message says that it has. Call it
  // once, as the last method.
  absl::Status Commit();

 private:
  OutputFolder(std::string path, OutputPlace place);

  std::string path_;
  OutputPlace place_;
  std::unique_ptr<PartialName> partial_;
  FileDescriptor alive_;  // The file in the partial folder whose mark shows that this process lives.
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_OUTPUT_FOLDER_H_
