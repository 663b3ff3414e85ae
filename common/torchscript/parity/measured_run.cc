#include "common/torchscript/parity/measured_run.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/torchscript/parity/reference_call.h"
#include "common/torchscript/parity/typed_copy.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

// The tensors of a copy in another dtype, by name.
absl::StatusOr<std::map<std::string, at::Tensor>> RunCopy(const torch::jit::Module& module, at::ScalarType type,
                                                          const Reference& reference, const ExpectedTensors& expected,
                                                          const std::vector<c10::IValue>& arguments,
                                                          const Replaced& replaced) {
  ASSIGN_OR_RETURN(const torch::jit::Module copy, CatchTorch([&] { return TypedCopy(module, type); }));
  ASSIGN_OR_RETURN(const std::vector<c10::IValue> typed, CatchTorch([&] { return TypedCopy(arguments, type); }));
  absl::StatusOr<MeasuredRun> run = RunOnReference(copy, reference, expected, typed, replaced);
  if (!run.ok()) {
    return absl::Status(run.status().code(),
                        absl::StrCat(run.status().message(), "\n  this was a copy in ",
                                     type == at::kDouble ? "float64" : "half precision",
                                     ", which measures rounding; --tolerance=NUMBER, relative to the largest element, "
                                     "does without"));
  }
  std::map<std::string, at::Tensor> tensors;
  for (PassedTensor& passed : run->passed) tensors[passed.name] = std::move(passed.tensor);
  return tensors;
}

}  // namespace

absl::StatusOr<MeasuredRun> RunOnReference(const torch::jit::Module& module, const Reference& reference,
                                           const ExpectedTensors& expected, const std::vector<c10::IValue>& arguments,
                                           const Replaced& replaced) {
  MeasuredRun run;
  const auto observe = [&](const ObservedTensor& point, const at::Tensor& tensor) {
    int& calls = run.calls[JoinPath(point.stage.path, point.stage.method)];
    calls = std::max(calls, point.stage.call + 1);
    const std::string* const name = expected.Name(point);
    if (name == nullptr && !point.is_result) return tensor;
    run.passed.push_back({point, name == nullptr ? "" : *name, tensor.detach().clone()});
    if (name == nullptr || !replaced.replaces(point)) return tensor;
    const at::Tensor replacement = expected.Replacement(point, tensor);
    return replacement.defined() ? replacement : tensor;
  };
  bool has_begun = !replaced.from;
  const auto observe_call = [&](const Stage& call, const std::vector<c10::IValue>&) {
    has_begun = has_begun || SameCall(call, *replaced.from);
    if (has_begun || IsWithin(replaced.from->path, call.path) || !expected.IsOnlyCall(call)) return at::Tensor();
    at::Tensor replacement = expected.Result(call, WeightType(module));
    if (replacement.defined()) run.left_out.push_back(call.path);
    return replacement;
  };
  const absl::Status status = RunObserved(module, reference.method, arguments, observe, observe_call).status();
  if (status.ok() && has_begun) return run;
  if (status.ok()) {
    return absl::NotFoundError(absl::StrCat(reference.path, ": nothing calls ", StageName(*replaced.from)));
  }
  const bool is_ours = absl::IsInternal(status);
  return absl::Status(
      is_ours ? absl::StatusCode::kFailedPrecondition : status.code(),
      absl::StrCat(reference.path, is_ours ? ": the module fails on these inputs: " : ": ", status.message()));
}

absl::Status MeasureRounding(const torch::jit::Module& module, const Reference& reference,
                             const ExpectedTensors& expected, const std::vector<c10::IValue>& arguments,
                             const Replaced& replaced, MeasuredRun& run) {
  ASSIGN_OR_RETURN(run.wide, RunCopy(module, at::kDouble, reference, expected, arguments, replaced));
  const at::ScalarType precision = ReferencePrecision(reference);
  if (precision != at::kFloat) {
    ASSIGN_OR_RETURN(run.rounded, RunCopy(module, precision, reference, expected, arguments, replaced));
    return absl::OkStatus();
  }
  for (const PassedTensor& passed : run.passed) run.rounded[passed.name] = passed.tensor;
  return absl::OkStatus();
}

}  // namespace modelport
