#ifndef MODELPORT_COMMON_PARITY_FLOAT64_COPY_H_
#define MODELPORT_COMMON_PARITY_FLOAT64_COPY_H_

#include <torch/csrc/jit/api/module.h>

namespace modelport {

// A copy of `module` whose floating tensors are float64, at every depth. It shares classes, methods and all other
// values with `module`, which stays as it is. May throw as LibTorch does.
torch::jit::Module Float64Copy(const torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_COMMON_PARITY_FLOAT64_COPY_H_
