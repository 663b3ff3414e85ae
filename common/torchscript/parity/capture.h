#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_CAPTURE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_CAPTURE_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Tensors with the names that they have in a reference.
using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// The tensor of this name; null if there is none.
const at::Tensor* FindTensor(const NamedTensors& tensors, const std::string& name);

// Runs `method` of `module` and returns copies of the tensors that `wanted` accepts, in the order in which they pass
// (observe.h). Fails as RunObserved does.
absl::StatusOr<NamedTensors> CaptureTensors(const torch::jit::Module& module, const std::string& method,
                                            const std::vector<c10::IValue>& inputs,
                                            absl::FunctionRef<bool(const ObservedTensor& point)> wanted);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_CAPTURE_H_
