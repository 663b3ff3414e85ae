// Follows forward through every call without running it: which operators it calls, and where the dtypes and devices of
// their inputs come from.
#ifndef MODELPORT_COMMON_LINT_TRACE_H_
#define MODELPORT_COMMON_LINT_TRACE_H_

#include <torch/csrc/jit/api/module.h>

#include <vector>

#include "absl/status/statusor.h"
#include "common/lint/fact.h"
#include "common/lint/step.h"

namespace modelport {

struct Trace {
  std::vector<Step> steps;                    // In the order of the code; those of a loop a few times.
  std::vector<FixedOptionPtr> fixed_options;  // Every dtype and device that the code fixes.
};

// Both branches of a condition count unless the code itself decides it, as a default argument that is None does. Calls
// of one function, for one module, with arguments of which the same is known, are followed once.
// What the trace does not see: tensors that forward stores in attributes and reads back, objects of script classes,
// hooks, and modules that are chosen by an index which is not written out. It knows nothing of those, and so rules find
// nothing.
// `module` must outlive the trace.
//   Internal            LibTorch cannot read the module's code
//   ResourceExhausted   more than a million steps, or calls and blocks more than a thousand deep
absl::StatusOr<Trace> TraceForward(const torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_TRACE_H_
