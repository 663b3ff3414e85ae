// The files that a user gives a command: an artifact, or checkpoints and what to take of them.
#ifndef MODELPORT_TOOLS_REQUEST_GIVEN_FILES_H_
#define MODELPORT_TOOLS_REQUEST_GIVEN_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "registry/recognise/weight_source.h"

namespace modelport {

// The checkpoints at `paths`, and what to take of each: `layout`, the value of the flag `layout_flag`, `state_dict`,
// that of --state_dict, and `prefix`, that of --prefix, have one value for all of them or, with commas, one for each.
//   InvalidArgument  a flag has another number of values
absl::StatusOr<CheckpointFiles> MakeCheckpointFiles(const std::vector<std::string>& paths, const std::string& layout,
                                                    const std::string& state_dict, const std::string& prefix,
                                                    absl::string_view layout_flag = "layout");

// The artifact of a tool that takes one: the file that --artifact, whose value is `flag`, or the one of `paths`, given
// beside the flags, names. InvalidArgument unless it is one file.
absl::StatusOr<std::string> ArtifactPath(const std::string& flag, std::vector<std::string> paths);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_REQUEST_GIVEN_FILES_H_
