#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_MAP_TENSORS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_MAP_TENSORS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string>

#include "absl/functional/function_ref.h"

namespace modelport {

// A copy of `value` in which `map(element, tensor)` replaces each tensor. `element` says where the tensor is: "" if it
// is the value itself, "0" or "depth" by index or key in a list, tuple or dictionary, "0.depth" in one in another.
// Dictionaries whose keys are no strings, and values of other kinds, are returned as they are.
c10::IValue MapTensors(const c10::IValue& value,
                       absl::FunctionRef<at::Tensor(const std::string& element, const at::Tensor& tensor)> map);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_MAP_TENSORS_H_
