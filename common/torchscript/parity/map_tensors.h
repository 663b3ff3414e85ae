#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_MAP_TENSORS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_MAP_TENSORS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/api/module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// A copy of `value` in which `map(element, tensor)` replaces each tensor. `element` says where the tensor is: "" if it
// is the value itself, "0" or "depth" by index or key in a list, tuple or dictionary, "0.depth" in one in another.
// Dictionaries whose keys are no strings, and values of other kinds, are returned as they are.
c10::IValue MapTensors(const c10::IValue& value,
                       absl::FunctionRef<at::Tensor(const std::string& element, const at::Tensor& tensor)> map);

// How many numbers the parameters and buffers of `module` and its submodules hold.
inline int64_t CountElements(const torch::jit::Module& module) {
  int64_t elements = 0;
  for (const at::Tensor& tensor : module.parameters()) elements += tensor.numel();
  for (const at::Tensor& tensor : module.buffers()) elements += tensor.numel();
  return elements;
}

// A copy of `module` whose floating tensors have the dtype `type`, at every depth, but for submodules of whose paths
// `keeps` is true: these stay as they are, with all below them. The copy shares classes, methods and all other values
// with `module`, which does not change. May throw as LibTorch does.
torch::jit::Module TypedCopy(
    const torch::jit::Module& module, at::ScalarType type,
    absl::FunctionRef<bool(absl::string_view path)> keeps = [](absl::string_view) { return false; });

// `values` with all floating tensors in the dtype `type`, those in lists, tuples and dictionaries too.
std::vector<c10::IValue> TypedCopy(const std::vector<c10::IValue>& values, at::ScalarType type);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_MAP_TENSORS_H_
