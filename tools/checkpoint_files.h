// The flags --layout and --state_dict beside one or several checkpoints.
#ifndef MODELPORT_TOOLS_CHECKPOINT_FILES_H_
#define MODELPORT_TOOLS_CHECKPOINT_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "pipeline/weight_source.h"

namespace modelport {

// The checkpoints at `paths`, and what to take of each: `layout` and `state_dict`, the values of these flags, have one
// value for all of them or, with commas, one for each.
//   InvalidArgument  a flag has another number of values
absl::StatusOr<CheckpointFiles> MakeCheckpointFiles(const std::vector<std::string>& paths, const std::string& layout,
                                                    const std::string& state_dict);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_CHECKPOINT_FILES_H_
