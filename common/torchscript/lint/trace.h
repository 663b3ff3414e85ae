// The operators that forward calls, directly and through other functions, and the facts about their inputs.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_TRACE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_TRACE_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/step.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

struct Trace {
  std::vector<Step> steps;  // The steps in the order of the code. A step in a loop occurs a few times.
  std::vector<FixedOptionPtr> fixed_options;  // Every dtype and device that the code fixes.
  FactPtr result;                             // The fact about what forward returns.
};

// Follows forward through every call without running it. It follows both branches of a condition, unless the code
// itself decides the condition, as for a default argument that is None. It follows calls of one function only once if
// they have the same module and equal facts about their arguments.
// The trace knows nothing about tensors that forward stores in attributes and reads back, objects of script classes,
// hooks, and modules that a computed index chooses. So rules find nothing there.
// `module` must outlive the trace.
//   Internal            LibTorch cannot read the module's code
//   ResourceExhausted   more than a million steps, or calls and blocks more than a thousand deep
absl::StatusOr<Trace> TraceForward(const torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_TRACE_H_
