// What the processes of distributed training save of a model without joining it, as FSDP does.
#ifndef MODELPORT_COMMON_CHECKPOINT_PROCESS_SHARDS_H_
#define MODELPORT_COMMON_CHECKPOINT_PROCESS_SHARDS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace modelport {

// Whether objects of the Python class with this name hold the part of a tensor that one process has: DTensor and
// ShardedTensor, with or without their module.
bool IsShardClass(absl::string_view name);

// Whether the key is that of several parameters in one, of which a process has a part: "encoder._flat_param".
bool IsFlatParameter(absl::string_view key);

// InvalidArgument: the file holds `what`, which is such a part; how to save the whole.
absl::Status HoldsShards(absl::string_view what);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_PROCESS_SHARDS_H_
