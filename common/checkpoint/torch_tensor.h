#ifndef MODELPORT_COMMON_CHECKPOINT_TORCH_TENSOR_H_
#define MODELPORT_COMMON_CHECKPOINT_TORCH_TENSOR_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/pickle/value.h"
#include "common/tensor/dtype.h"
#include "common/tensor/shape.h"

namespace modelport {

// A storage class of torch.
struct StorageType {
  absl::string_view class_name;  // "FloatStorage".
  absl::string_view dtype_name;  // "float32".
  int64_t byte_size;             // Of one element.
  absl::optional<DType> dtype;   // nullopt for an unsupported dtype.
};

// A pickle's reference to a storage, whose bytes are elsewhere in the file.
struct TorchStorage {
  const StorageType* type;
  absl::string_view key;
  int64_t elements;         // At least 0.
  int64_t view_offset = 0;  // In elements; legacy files may refer to a part of a storage.
};

// True for a reference to a storage. Old files also refer to the source text of classes.
bool IsStorage(const pickle::PersistentId& id);

// The key of a storage, whatever its class; nullopt if `id` does not refer to one.
absl::optional<absl::string_view> StorageKey(const pickle::PersistentId& id);

// Reads ("storage", class, key, location, elements[, view]).
//   DataLoss        not such a tuple
//   Unimplemented   an unknown storage class
absl::StatusOr<TorchStorage> ParseStorage(const pickle::PersistentId& id);

// A tensor as a pickle of torch.save describes it. Its numbers are those of the file and not checked yet.
struct TorchTensor {
  TorchStorage storage;
  DType dtype;
  int64_t offset;  // In the whole storage, not in a view of it.
  Shape shape;
  std::vector<int64_t> strides;
};

// The call, one of torch's _rebuild functions, that would make a tensor.
struct TensorCall {
  const pickle::Global* function;
  const pickle::Tuple* args;
};

// The call that would make `value`, whether plain or wrapped as a Parameter or another subclass of Tensor; nullopt if
// `value` is no tensor.
absl::optional<TensorCall> AsTensor(const pickle::Value& value);

// The values attached to a tensor, which may hold further tensors: hooks, and the attributes of a Parameter or another
// subclass. Empty for the tensors of a plain state dict.
std::vector<const pickle::Value*> Attachments(const pickle::Value& tensor);

// Reads the arguments of the call.
//   DataLoss        the arguments do not describe a tensor
//   Unimplemented   a dtype or a kind of tensor whose elements are not read; the message says what it is: "a sparse
//                   tensor"
absl::StatusOr<TorchTensor> ParseTensor(const TensorCall& call);

// What the processes of distributed training save of a model without joining it, as FSDP does.

// Whether objects of the Python class with this name hold the part of a tensor that one process has: DTensor and
// ShardedTensor, with or without their module. A DTensor whose part is the whole is an ordinary tensor to AsTensor.
bool IsShardClass(absl::string_view name);

// Whether the key is that of several parameters in one, of which a process has a part: "encoder._flat_param".
bool IsFlatParameter(absl::string_view key);

// InvalidArgument: the file holds `what`, which is such a part; how to save the whole.
absl::Status HoldsShards(absl::string_view what);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_TORCH_TENSOR_H_
