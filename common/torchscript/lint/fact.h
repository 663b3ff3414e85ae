// What the lint knows about a value of a graph: where its dtype and its device come from, and what its sizes follow. A
// host that switches to half precision or to a GPU changes the dtype and device of the input and the weights, but not
// those that the code names, and it sends images of many sizes.
#ifndef MODELPORT_COMMON_TORCHSCRIPT_LINT_FACT_H_
#define MODELPORT_COMMON_TORCHSCRIPT_LINT_FACT_H_

#include <ATen/core/ivalue.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
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

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_LINT_FACT_H_
