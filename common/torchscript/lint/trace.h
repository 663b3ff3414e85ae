// The operators that forward calls, directly and through other functions, and the facts about their inputs: about what
// a graph computes, what it only moves, and what its module holds.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_TRACE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_TRACE_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/torchscript/lint/fact.h"
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

// The facts about the outputs of `step`. Every dtype and device that the call fixes is added to `fixed_options`.
std::vector<Fact> OutputFacts(const Step& step, std::vector<FixedOptionPtr>& fixed_options);

// The fact about the tensors in `value`, a constant or an attribute that is neither parameter nor buffer. `place` has
// every member that describes where `value` is; this function sets the members `value` and `is_device`.
Fact HeldTensorsFact(const c10::IValue& value, const FixedOption& place);

// The fact about the attribute `name` of the module `owner`, whose path is `path`.
Fact AttributeFact(const c10::ivalue::Object& owner, const std::string& path, const std::string& name);

// Whether `node` computes nothing: it puts values into tuples, lists and dictionaries, takes them out, or tests whether
// they are None. Also true if it has no schema that lists its inputs and outputs.
bool HandlesValues(const torch::jit::Node& node);

// The facts about the outputs of such a node. `inputs` must be facts of `pool`, and so are the results.
std::vector<FactPtr> ValueFacts(const torch::jit::Node& node, const std::vector<FactPtr>& inputs, FactPool& pool);

// Whether such a node puts its other inputs into its first input, as aten::append does.
bool FillsContainer(const torch::jit::Node& node);

// The tensor that `value` is, or the tensors in the list, tuple, dictionary or object that it is; each tensor once.
std::vector<at::Tensor> HeldTensors(const c10::IValue& value);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_TRACE_H_
