#ifndef MODELPORT_COMMON_MODULE_TREE_KNOB_H_
#define MODELPORT_COMMON_MODULE_TREE_KNOB_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/expression/expression.h"
#include "common/module_tree/module_type.h"

namespace modelport {

// An attribute that a user of the artifact may set. The plugin states its range and meaning.
struct Knob {
  std::string name;
  bool is_integer = false;  // Else it is a float.
  double value = 0;         // From min to max.
  double min = 0;
  double max = 0;
  std::string help;
};

// The knob that `decl` declares; `decl` is an attribute with a `knob`, and `value` is its value.
//   InvalidArgument  `value` or a bound is not a number, or `value` is out of range
absl::StatusOr<Knob> MakeKnob(const ValueDecl& decl, const Value& value, const Scope& scope);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_KNOB_H_
