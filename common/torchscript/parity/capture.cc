#include "common/torchscript/parity/capture.h"

#include <ATen/TensorOperators.h>

#include <algorithm>

#include "common/status/status_macros.h"

namespace modelport {

const at::Tensor* FindTensor(const NamedTensors& tensors, const std::string& name) {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const auto& named) { return named.first == name; });
  return found == tensors.end() ? nullptr : &found->second;
}

absl::StatusOr<NamedTensors> CaptureTensors(const torch::jit::Module& module, const std::string& method,
                                            const std::vector<c10::IValue>& inputs,
                                            absl::FunctionRef<bool(const ObservedTensor& point)> wanted) {
  NamedTensors captured;
  RETURN_IF_ERROR(RunObserved(module, method, inputs, [&](const ObservedTensor& point, const at::Tensor& tensor) {
                    if (wanted(point)) captured.emplace_back(point.name, tensor.detach().clone());
                    return tensor;
                  }).status());
  return captured;
}

}  // namespace modelport
