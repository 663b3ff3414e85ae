#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_COUNT_ELEMENTS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_COUNT_ELEMENTS_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>

namespace modelport {

// How many numbers the parameters and buffers of `module` and its submodules hold.
inline int64_t CountElements(const torch::jit::Module& module) {
  int64_t elements = 0;
  for (const at::Tensor& tensor : module.parameters()) elements += tensor.numel();
  for (const at::Tensor& tensor : module.buffers()) elements += tensor.numel();
  return elements;
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_COUNT_ELEMENTS_H_
