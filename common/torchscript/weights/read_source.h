#ifndef MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_READ_SOURCE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_READ_SOURCE_H_

#include <ATen/core/Tensor.h>

#include "absl/status/statusor.h"
#include "common/operation/slot_source.h"

namespace modelport {

// The elements of `source`, in its own dtype. Where they are in a file, aligned, the tensor borrows them with their
// strides and is valid while that checkpoint is open; it must not be written to. Other elements are evaluated into a
// contiguous tensor.
//   ResourceExhausted  memory ran out
//   others             as SlotSource::Evaluate
absl::StatusOr<at::Tensor> ReadSource(const SlotSource& source);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_READ_SOURCE_H_
