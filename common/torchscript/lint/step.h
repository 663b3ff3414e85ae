// A step of forward: one call of an operator, the facts about its inputs, and what the sizes of its results follow.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_STEP_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_STEP_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/torchscript/lint/fact.h"

namespace modelport {

struct Step {
  const torch::jit::Node* node;  // A node that has a schema.
  std::string module;            // The path of the module whose code contains it; "" for the root.
  std::vector<FactPtr> inputs;
  std::vector<FactPtr> sizes = {};  // The ints of its SizesArgument; empty if they are not known.

  std::string name() const { return node->kind().toQualString(); }  // "aten::linear".
};

// An input of a step that is a tensor or a list of tensors.
struct Operand {
  const Fact* fact;
  bool is_list;
};

// The inputs of `step` that its schema declares as tensors or lists of tensors, in their order.
std::vector<Operand> TensorOperands(const Step& step);

// The fact about the argument `name` of `step`; null if there is no such argument, or if it is None.
const Fact* FindArgument(const Step& step, absl::string_view name);

// The index of the argument that gives the result its sizes, or of aten::permute their order; nullopt if there is none.
absl::optional<size_t> SizesArgument(const torch::jit::Node& node);

// The fixed option that gives one tensor of `step` its dtype or device while another tensor has the model's; null if
// there is none. `origin` is &Fact::dtype or &Fact::device. If both tensors may have either origin, because of a
// condition, they are assumed to have the same.
FixedOptionPtr FindClash(const Step& step, Origin Fact::*origin);

// The extents of a tensor that the file holds.
Extents FixedExtents(const at::Tensor& tensor);

// The extents of the results of `step`. Where an operator may lose the size of the image, as a mean does, they are
// unknown.
Extents ResultExtents(const Step& step);

// Whether `step` is a view, reshape or expand that gives a tensor whose sizes follow the image other ones, none of
// which does: an image of another size has another number of elements.
bool FixesShape(const Step& step);

// Whether `step` resizes a tensor whose sizes follow the image to a size that does not.
bool FixesResize(const Step& step);

// Whether `step` combines, element by element, a tensor whose sizes follow the image with a table of fixed sizes, of
// which more than one is larger than 1. A bias or a scale for each channel is no such table.
bool AddsTable(const Step& step);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_STEP_H_
