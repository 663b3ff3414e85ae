#ifndef MODELPORT_COMMON_CHECKPOINT_STATE_DICT_COLLECTOR_H_
#define MODELPORT_COMMON_CHECKPOINT_STATE_DICT_COLLECTOR_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/contents.h"
#include "common/checkpoint/pickle/value.h"
#include "common/checkpoint/torch_storage.h"

namespace modelport {

// Finds a storage's bytes: its index in CheckpointContents::storages.
using StorageFinder = absl::FunctionRef<absl::StatusOr<int>(const TorchStorage& storage)>;

// Adds each dictionary in `root`, at any depth, that holds tensors to contents->state_dicts, in the order of the file.
// A dictionary that has several paths is listed under its first. Objects of unknown classes are passed over.
//   InvalidArgument   `root` is no dictionary, or holds no tensors
//   and what ParseTensor, CheckTensorBounds and `find_storage` return, with the tensor's path
absl::Status CollectStateDicts(const pickle::Value& root, StorageFinder find_storage, CheckpointContents* contents);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_STATE_DICT_COLLECTOR_H_
