#ifndef MODELPORT_COMMON_WEIGHTS_READ_SOURCE_H_
#define MODELPORT_COMMON_WEIGHTS_READ_SOURCE_H_

#include <ATen/core/Tensor.h>

#include "common/source/slot_source.h"

namespace modelport {

// The elements of `source`, in its own dtype. Where they are in a file, aligned, the tensor borrows them with their
// strides and is valid while that checkpoint is open; it must not be written to. Other elements are evaluated into a
// contiguous tensor. Throws what LibTorch throws if memory runs out.
at::Tensor ReadSource(const SlotSource& source);

}  // namespace modelport

#endif  // MODELPORT_COMMON_WEIGHTS_READ_SOURCE_H_
