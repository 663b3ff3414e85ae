#ifndef MODELPORT_COMMON_IO_OUTPUT_PLACE_H_
#define MODELPORT_COMMON_IO_OUTPUT_PLACE_H_

#include <string>

#include "absl/status/statusor.h"

namespace modelport {

// Where an output goes. Symbolic links are resolved, so the file that a link names is replaced and the link stays.
struct OutputPlace {
  std::string folder;  // Absolute; it exists.
  std::string name;    // Of the file in it, which may exist.

  std::string Path() const { return folder + "/" + name; }
};

// The place that `path` names. Messages begin with the path.
//   InvalidArgument    a folder, a device, a link to nothing
//   NotFound           the folder does not exist
//   PermissionDenied   the file exists and is write-protected, or another user's in a sticky folder
absl::StatusOr<OutputPlace> FindOutputPlace(const std::string& path);

// InvalidArgument if writing `output` would replace `input`: both name one file, by whatever path or link.
absl::Status CheckNotSameFile(const std::string& output, const std::string& input);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_OUTPUT_PLACE_H_
