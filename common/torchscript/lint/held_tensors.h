#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_HELD_TENSORS_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_HELD_TENSORS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <vector>

namespace modelport {

// The tensor that `value` is, or the tensors in the list, tuple, dictionary or object that it is; each tensor once.
std::vector<at::Tensor> HeldTensors(const c10::IValue& value);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_HELD_TENSORS_H_
