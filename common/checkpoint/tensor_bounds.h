#ifndef MODELPORT_COMMON_CHECKPOINT_TENSOR_BOUNDS_H_
#define MODELPORT_COMMON_CHECKPOINT_TENSOR_BOUNDS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "common/checkpoint/contents.h"

namespace modelport {

// Checks that every element of `tensor` is within a storage of `storage_bytes`, and that its elements together take at
// most `max_bytes`: with strides of 0, a small storage describes a tensor of any size. DataLoss says what is wrong.
absl::Status CheckTensorBounds(const CheckpointTensor& tensor, int64_t storage_bytes, int64_t max_bytes);

}  // namespace modelport

#endif  // MODELPORT_COMMON_CHECKPOINT_TENSOR_BOUNDS_H_
