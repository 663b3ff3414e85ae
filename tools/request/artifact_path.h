#ifndef MODELPORT_TOOLS_REQUEST_ARTIFACT_PATH_H_
#define MODELPORT_TOOLS_REQUEST_ARTIFACT_PATH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace modelport {

// The artifact of a tool that takes one: the file that --artifact, whose value is `flag`, or the one of `paths`, given
// beside the flags, names. InvalidArgument unless it is one file.
absl::StatusOr<std::string> ArtifactPath(const std::string& flag, std::vector<std::string> paths);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_REQUEST_ARTIFACT_PATH_H_
