#ifndef MODELPORT_COMMON_WEIGHTS_UNDERFLOW_H_
#define MODELPORT_COMMON_WEIGHTS_UNDERFLOW_H_

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "common/checkpoint/checkpoint.h"

namespace modelport {

// Elements that a conversion made too small to be told from zero, or to keep all of their bits.
struct Underflow {
  int64_t zeros = 0;       // Were not zero, and are: 1e-60 in float32.
  int64_t subnormals = 0;  // Were normal numbers, and are subnormal: 1e-40 in float32.
};

// Compares a tensor of a checkpoint, whose first element is at `data`, with `converted`: the same elements, contiguous,
// in another floating dtype. Copies nothing.
Underflow CountUnderflow(const CheckpointTensor& tensor, const char* data, const at::Tensor& converted);

}  // namespace modelport

#endif  // MODELPORT_COMMON_WEIGHTS_UNDERFLOW_H_
