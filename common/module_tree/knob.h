#ifndef MODELPORT_COMMON_MODULE_TREE_KNOB_H_
#define MODELPORT_COMMON_MODULE_TREE_KNOB_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/module_tree/expression.h"
#include "common/module_tree/module_type.h"

namespace modelport {

// An attribute whose range and meaning the plugin states, for a user who sets it.
struct Knob {
  std::string name;
  bool is_integer = false;  // Else it is a float.
  double value = 0;         // From min to max.
  double min = 0;
  double max = 0;
  std::string help;
};

// The knob that `decl`, an attribute of this value with a `knob`, declares.
//   InvalidArgument  `value` or a bound is no number, or the value is out of the range
absl::StatusOr<Knob> MakeKnob(const ValueDecl& decl, const Value& value, const Scope& scope);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_KNOB_H_
