#include "common/torchscript/proof/kernel_fault.h"

#include <ATen/Context.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "common/status/status_macros.h"
#include "common/torchscript/proof/example.h"

namespace modelport {
namespace {

// A kernel that reads memory outside its inputs may find equal values there in two runs.
constexpr int kRuns = 5;

absl::StatusOr<std::vector<OperatorRun>> Trace(const torch::jit::Module& module, const Call& call) {
  absl::Status status;
  std::vector<OperatorRun> runs = TraceOperators([&] { status = RunExamples(module, {call}).status(); });
  RETURN_IF_ERROR(status);
  return runs;
}

// Stops where the runs take different branches.
absl::optional<OperatorRun> FirstDifference(const std::vector<OperatorRun>& a, const std::vector<OperatorRun>& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()) && a[i].name == b[i].name; ++i) {
    if (a[i].input_digest == b[i].input_digest && a[i].output_digest != b[i].output_digest) return a[i];
  }
  return absl::nullopt;
}

}  // namespace

absl::StatusOr<absl::optional<OperatorRun>> FindUnstableOperator(const torch::jit::Module& module, const Call& call) {
  ASSIGN_OR_RETURN(std::vector<OperatorRun> previous, Trace(module, call));
  for (int i = 1; i < kRuns; ++i) {
    ASSIGN_OR_RETURN(std::vector<OperatorRun> runs, Trace(module, call));
    if (absl::optional<OperatorRun> found = FirstDifference(previous, runs)) return found;
    previous = std::move(runs);
  }
  return absl::optional<OperatorRun>();
}

WithoutOneDnn::WithoutOneDnn() : was_enabled_(at::globalContext().userEnabledMkldnn()) {
  at::globalContext().setUserEnabledMkldnn(false);
}

WithoutOneDnn::~WithoutOneDnn() { at::globalContext().setUserEnabledMkldnn(was_enabled_); }

}  // namespace modelport
