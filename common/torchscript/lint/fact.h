// What the lint knows about a value of a graph: where its dtype and its device come from, and what its sizes follow. A
// host that switches to half precision or to a GPU changes the dtype and device of the input and the weights, but not
// those that the code names, and it sends images of many sizes. A step of forward is one call of an operator with the
// facts about its inputs.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_FACT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_FACT_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/torchscript/script/graph_operators.h"

namespace modelport {

// A dtype or a device that the file fixes, so that the host cannot change it.
struct FixedOption {
  enum class Kind {
    kWritten,    // x.float(), torch.zeros(n, device="cpu")
    kDefault,    // torch.zeros(n): float32, on the CPU.
    kConstant,   // A tensor that is part of the code.
    kAttribute,  // A tensor in an attribute that is neither parameter nor buffer, which hosts do not convert.
  };
  Kind kind;
  std::string value = {};   // "float32", "cuda:0".
  std::string call = {};    // The operator, such as "aten::zeros"; for an attribute, its name.
  std::string module = {};  // The path of the module that has it; "" for the root.
  SourceLine line = {};     // It is empty for an attribute.
  bool is_device = false;
};
using FixedOptionPtr = std::shared_ptr<const FixedOption>;

// Where the dtype or the device of a tensor may come from: the model, a fixed option, or both. Neither means that the
// origin is unknown or does not matter, as for integers and for tensors without dimensions.
struct Origin {
  bool model = false;  // Whether it may come from the input or the weights.
  FixedOptionPtr fixed = nullptr;
};

// Whether a size follows that of the image. The larger of two holds for what may be either or is made of both.
enum class Extent { kFixed, kUnknown, kImage };

// What the sizes of a tensor follow, or the values of an int or a list of ints.
struct Extents {
  Extent first = Extent::kUnknown;  // Of a tensor: its first dimension, by which windows and patches are listed.
  Extent rest = Extent::kUnknown;   // Of a tensor: its other dimensions. Of ints: they themselves.
  int table_dims = 0;               // Of a tensor of fixed sizes: how many of them are more than 1; 0 if not known.
};

struct Fact;
using FactPtr = std::shared_ptr<const Fact>;

// A value: a tensor, a list or tuple of tensors, an int that stands for a dtype, a device, a module, ...
struct Fact {
  Origin dtype;
  Origin device;
  Extents extents;
  bool is_input = false;              // Whether it may share memory with an argument of forward.
  absl::optional<c10::IValue> value;  // The value, if known: a module or a literal.
  std::string path;                   // The path of a module.
  std::vector<FactPtr> elements;      // The elements of a tuple, if known.
};

// The origin of a value that has either the origin `a` or the origin `b`.
Origin Join(const Origin& a, const Origin& b);

// The extents of what may have the extents `a` or `b`, or is made of both.
Extents Join(const Extents& a, const Extents& b);

// The fact about any element of a list, tuple or dictionary that contains `facts`.
Fact Mix(const std::vector<FactPtr>& facts);

// Keeps one object for all equal facts and one for all equal fixed options, so that two of them are equal if and only
// if their pointers are equal. Facts about nested tuples share the facts about their elements.
class FactPool {
 public:
  FactPool();

  // The pool's fact that is equal to `fact`, whose elements must be facts of the pool. A tuple with more than a
  // thousand parts, counted through all levels of nested tuples, loses its elements.
  FactPtr Add(Fact fact);
  FixedOptionPtr Add(const FixedOptionPtr& option);

  // The fact about a value that has either the fact `a` or the fact `b`.
  FactPtr Join(const FactPtr& a, const FactPtr& b);

  // The fact about a value of which nothing is known.
  const FactPtr& unknown() const { return unknown_; }
  // All fixed options of the pool, in the order in which they were added.
  const std::vector<FixedOptionPtr>& fixed_options() const { return fixed_options_; }

 private:
  struct HashFact {
    size_t operator()(const FactPtr& fact) const;
  };
  struct SameFact {
    bool operator()(const FactPtr& a, const FactPtr& b) const;
  };
  struct HashOption {
    size_t operator()(const FixedOptionPtr& option) const;
  };
  struct SameOption {
    bool operator()(const FixedOptionPtr& a, const FixedOptionPtr& b) const;
  };

  // The number of facts in `fact`, including itself. A fact that occurs twice counts twice.
  size_t CountParts(const Fact& fact) const;

  absl::flat_hash_map<FactPtr, size_t, HashFact, SameFact> facts_;  // Facts with their CountParts.
  absl::flat_hash_set<FixedOptionPtr, HashOption, SameOption> options_;
  std::vector<FixedOptionPtr> fixed_options_;
  FactPtr unknown_;
};

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

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_FACT_H_
