#ifndef MODELPORT_COMMON_CHECKPOINT_TORCH_STORAGE_H_
#define MODELPORT_COMMON_CHECKPOINT_TORCH_STORAGE_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/pickle/value.h"
#include "common/tensor/dtype.h"

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

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_TORCH_STORAGE_H_
