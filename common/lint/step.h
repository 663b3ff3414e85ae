// A step of forward: one call of an operator, and what is known of its inputs.
#ifndef MODELPORT_COMMON_LINT_STEP_H_
#define MODELPORT_COMMON_LINT_STEP_H_

#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/lint/fact.h"

namespace modelport {

struct Step {
  const torch::jit::Node* node;  // Has a schema.
  std::string module;            // Path of the module whose code it is, "" for the root.
  std::vector<FactPtr> inputs;

  std::string name() const { return node->kind().toQualString(); }  // "aten::linear".
};

// A tensor or list of tensors that a step is given.
struct Operand {
  const Fact* fact;
  bool is_list;
};

// The inputs of `step` that its schema calls tensors, in their order.
std::vector<Operand> TensorOperands(const Step& step);

// What is known of the argument `name` of `step`; null if it has none, or None for it.
const Fact* FindArgument(const Step& step, absl::string_view name);

// The dtype, or device, that a tensor of `step` has by a fixed option where another one has the model's; null if there
// is none. `origin` is &Fact::dtype or &Fact::device. Two tensors that may both be either, as a condition had it, are
// taken to be alike.
FixedOptionPtr FindClash(const Step& step, Origin Fact::*origin);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_STEP_H_
