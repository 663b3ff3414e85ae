// What the lint knows about a value of a graph: where its dtype and its device come from. A host that switches to half
// precision or to a GPU changes those of the input and of the weights, but none that the code spells out.
#ifndef MODELPORT_COMMON_LINT_FACT_H_
#define MODELPORT_COMMON_LINT_FACT_H_

#include <ATen/core/ivalue.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/script/source_line.h"

namespace modelport {

// A dtype or a device that the file fixes, whatever the host wants.
struct FixedOption {
  enum class Kind {
    kWritten,    // x.float(), torch.zeros(n, device="cpu")
    kDefault,    // torch.zeros(n): float32, on the CPU.
    kConstant,   // A tensor that is part of the code.
    kAttribute,  // A tensor in an attribute that is neither parameter nor buffer, which hosts do not convert.
  };
  Kind kind;
  std::string value = {};   // "float32", "cuda:0".
  std::string call = {};    // "aten::zeros"; of an attribute its name.
  std::string module = {};  // Path of the module that has it, "" for the root.
  SourceLine line = {};     // Empty for an attribute.
  bool is_device = false;
};
using FixedOptionPtr = std::shared_ptr<const FixedOption>;

// Where the dtype or the device of a tensor may come from: one, both or none. None: it does not matter, as for integers
// and for tensors without dimensions, or it is not known.
struct Origin {
  bool model = false;  // The input or the weights.
  FixedOptionPtr fixed = nullptr;
};

struct Fact;
using FactPtr = std::shared_ptr<const Fact>;

// A value: a tensor, a list or tuple of tensors, an int that stands for a dtype, a device, a module, ...
struct Fact {
  Origin dtype;
  Origin device;
  bool is_input = false;              // May share memory with an argument of forward.
  absl::optional<c10::IValue> value;  // If known: a module, or a literal.
  std::string path;                   // Of a module.
  std::vector<FactPtr> elements;      // Of a tuple, if known.
};

Origin Join(const Origin& a, const Origin& b);

// What is known of what comes out of a list, tuple or dictionary that holds `facts`.
Fact Mix(const std::vector<FactPtr>& facts);

}  // namespace modelport

#endif  // MODELPORT_COMMON_LINT_FACT_H_
