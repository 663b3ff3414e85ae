#ifndef MODELPORT_COMMON_CHECKPOINT_STATE_DICT_COLLECTOR_H_
#define MODELPORT_COMMON_CHECKPOINT_STATE_DICT_COLLECTOR_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/checkpoint/contents.h"
#include "common/checkpoint/pickle/budget.h"
#include "common/checkpoint/pickle/value.h"
#include "common/checkpoint/torch_tensor.h"

namespace modelport {

// Finds a storage's bytes: its index in CheckpointContents::storages.
using StorageFinder = absl::FunctionRef<absl::StatusOr<int>(const TorchStorage& storage)>;

// Finds every tensor that can be reached from `root`. Each dictionary that holds tensors, at any depth of dictionaries,
// lists and tuples, becomes one of contents->state_dicts, in the order of the file, and so does each torch.nn.Module
// that was pickled whole, with the keys of its state dict. All other tensors, in lists, tuples and objects, are counted
// in contents->loose, each once, and so are those of a dictionary that ParseTensor does not read. No object is
// constructed and no class is looked up.
//   InvalidArgument   `root` is neither a dictionary nor a module, none holds tensors, two keys of one dictionary or
//                     the paths of two dictionaries are spelled alike, or the budget is exceeded
//   DataLoss          tensors of two dtypes view one storage
//   Other errors of ParseTensor, and those of CheckTensorBounds and `find_storage`, are returned with the tensor's
//   path.
absl::Status CollectStateDicts(const pickle::Value& root, StorageFinder find_storage, Budget& budget,
                               CheckpointContents* contents);

// Checks that every element of `tensor` is within a storage of `storage_bytes`, and that its elements together take at
// most `max_bytes`: with strides of 0, a small storage describes a tensor of any size. DataLoss says what is wrong.
absl::Status CheckTensorBounds(const CheckpointTensor& tensor, int64_t storage_bytes, int64_t max_bytes);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_STATE_DICT_COLLECTOR_H_
