#ifndef MODELPORT_COMMON_SCRIPT_IVALUE_H_
#define MODELPORT_COMMON_SCRIPT_IVALUE_H_

#include <ATen/core/ivalue.h>

#include "common/module_tree/expression.h"

namespace modelport {

// The TorchScript value of a constant or attribute. A TypeName is none of these and becomes its name.
c10::IValue ToIValue(const Value& value);

}  // namespace modelport

#endif  // MODELPORT_COMMON_SCRIPT_IVALUE_H_
