// The files that a user gives a command: an artifact, or checkpoints and what to take of them.
#ifndef MODELPORT_TOOLS_REQUEST_GIVEN_FILES_H_
#define MODELPORT_TOOLS_REQUEST_GIVEN_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "registry/recognise/weight_source.h"
#include "tools/command/flags.h"

namespace modelport {

// The flags that say what to take of checkpoints: --state_dict, --prefix and the one that names the layout of the keys,
// each with one value for all checkpoints or, with commas, one for each.
struct SourceFlags {
  // Adds them to `group`; `layout_name` is for a tool that has another --layout.
  explicit SourceFlags(FlagGroup& group, const std::string& layout_name = "layout");

  // The checkpoints at `paths`, and what to take of each.
  //   InvalidArgument  a flag has another number of values
  absl::StatusOr<CheckpointFiles> Files(const std::vector<std::string>& paths) const;

  Flag<std::string> layout, state_dict, prefix;
};

// The artifact of a tool that takes one: the file that --artifact, whose value is `flag`, or the one of `paths`, given
// beside the flags, names. InvalidArgument unless it is one file.
absl::StatusOr<std::string> ArtifactPath(const std::string& flag, std::vector<std::string> paths);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_REQUEST_GIVEN_FILES_H_
