#include "common/torchscript/parity/expected_tensors.h"

#include <ATen/TensorOperators.h>

#include <algorithm>

#include "common/torchscript/parity/reference_call.h"

namespace modelport {

absl::StatusOr<ExpectedTensors> ExpectedTensors::Index(const Reference& reference) {
  ExpectedTensors index;
  for (const auto& [name, tensor] : reference.expected) {
    std::string key = name;
    if (!IsOutput(name)) {
      absl::StatusOr<Stage> stage = ParseStage(name);
      if (!stage.ok()) return WrongReference(reference, stage.status().message());
      key = StageName(*stage);
      index.stages_.emplace(name, *std::move(stage));
    }
    index.tensors_[key] = {name, tensor, reference.slices.count(name) == 0};
  }
  return index;
}

const std::string* ExpectedTensors::Name(const ObservedTensor& point) const {
  const auto found = tensors_.find(point.name);
  return found == tensors_.end() ? nullptr : &found->second.name;
}

at::Tensor ExpectedTensors::Replacement(const ObservedTensor& point, const at::Tensor& tensor) const {
  const auto found = tensors_.find(point.name);
  if (found == tensors_.end() || !found->second.is_whole) return {};
  // A copy: the module may write to it.
  const at::Tensor& expected = found->second.tensor;
  return tensor.is_floating_point() && expected.is_floating_point() ? expected.to(tensor.scalar_type(), false, true)
                                                                    : expected.clone();
}

at::Tensor ExpectedTensors::Result(const Stage& call, absl::optional<at::ScalarType> type) const {
  const auto found = tensors_.find(StageName(call));
  if (found == tensors_.end() || !found->second.is_whole) return {};
  const at::Tensor& result = found->second.tensor;
  return result.to(type && result.is_floating_point() ? *type : result.scalar_type(), false, /*copy=*/true);
}

bool ExpectedTensors::IsOnlyCall(const Stage& call) const {
  return std::all_of(stages_.begin(), stages_.end(),
                     [&](const auto& named) { return named.second.path != call.path || SameCall(named.second, call); });
}

}  // namespace modelport
