#ifndef MODELPORT_COMMON_IO_OUTPUT_PLACE_H_
#define MODELPORT_COMMON_IO_OUTPUT_PLACE_H_

#include <string>

#include "absl/status/statusor.h"

namespace modelport {

// The place of an output. Symbolic links are resolved, so an output replaces the target of a link and keeps the link.
struct OutputPlace {
  std::string folder;  // The absolute path of a folder that exists.
  std::string name;    // The name of a file in it, which may or may not exist.

  std::string Path() const { return folder + "/" + name; }
};

// The place that `path` names. Messages begin with the path.
//   InvalidArgument    a folder, a device, a link to nothing
//   NotFound           the folder does not exist
//   PermissionDenied   the file exists and is write-protected, or another user's in a sticky folder
absl::StatusOr<OutputPlace> FindOutputPlace(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_IO_OUTPUT_PLACE_H_
