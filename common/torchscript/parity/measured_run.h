#ifndef MODELPORT_COMMON_TORCHSCRIPT_PARITY_MEASURED_RUN_H_
#define MODELPORT_COMMON_TORCHSCRIPT_PARITY_MEASURED_RUN_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/torchscript/parity/expected_tensors.h"
#include "common/torchscript/parity/observe.h"
#include "common/torchscript/parity/reference.h"
#include "common/torchscript/parity/stage.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// A tensor that the module computed at a point of which the reference has one, or a result.
struct PassedTensor {
  ObservedTensor point;
  std::string name;  // As in Reference::expected; "" for a result that the reference lacks.
  at::Tensor tensor;
};

struct MeasuredRun {
  std::vector<PassedTensor> passed;  // In the order of execution.
  // The same tensors in the reference's floating dtype and in float64, by name, which tell what rounding amounts to;
  // none if it is not measured.
  std::map<std::string, at::Tensor> rounded = {}, wide = {};
  std::vector<std::string> left_out;  // Paths of the calls in whose place the reference's result was taken.
  std::map<std::string, int> calls;   // How often each method was called, by path and method: "blocks.0.forward".
};

// Where the reference's tensors pass in the place of the module's own.
struct Replaced {
  absl::FunctionRef<bool(const ObservedTensor& point)> replaces;
  // The call from which on the module computes. A call before it is not made, if the reference has its result and it is
  // the only one of its submodule.
  absl::optional<Stage> from = absl::nullopt;
};

// Calls `module` as `reference` says. Nothing is measured yet.
//   NotFound            as RunObserved; nothing makes the call `replaced.from`
//   FailedPrecondition  the module fails on these inputs
absl::StatusOr<MeasuredRun> RunOnReference(const torch::jit::Module& module, const Reference& reference,
                                           const ExpectedTensors& expected, const std::vector<c10::IValue>& arguments,
                                           const Replaced& replaced);

// Sets `rounded` and `wide` of `run` by the same call of copies of `module`. Fails as RunOnReference does.
absl::Status MeasureRounding(const torch::jit::Module& module, const Reference& reference,
                             const ExpectedTensors& expected, const std::vector<c10::IValue>& arguments,
                             const Replaced& replaced, MeasuredRun& run);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_PARITY_MEASURED_RUN_H_
