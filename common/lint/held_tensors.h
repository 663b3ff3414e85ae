#ifndef MODELPORT_COMMON_LINT_HELD_TENSORS_H_
#define MODELPORT_COMMON_LINT_HELD_TENSORS_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <vector>

namespace modelport {

// The tensors that `value` is or holds, in lists, tuples, dictionaries and objects; what is there twice comes once.
std::vector<at::Tensor> HeldTensors(const c10::IValue& value);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_HELD_TENSORS_H_
