#ifndef MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_READ_SOURCE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_READ_SOURCE_H_

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include "absl/status/statusor.h"
#include "common/operation/slot_source.h"
#include "common/tensor/dtype.h"

namespace modelport {

// The elements of `source`, in its own dtype. Where they are in a file, aligned, the tensor borrows them with their
// strides and is valid while that checkpoint is open; it must not be written to. Other elements are evaluated into a
// contiguous tensor.
//   ResourceExhausted  memory ran out
//   others             as SlotSource::Evaluate
absl::StatusOr<at::Tensor> ReadSource(const SlotSource& source);

// The torch scalar type of a dtype.
at::ScalarType ToScalarType(DType dtype);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_WEIGHTS_READ_SOURCE_H_
