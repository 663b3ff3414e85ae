#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_IVALUE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_IVALUE_H_

#include <ATen/core/ivalue.h>

#include "common/expression/expression.h"

namespace modelport {

// `value` as a TorchScript value. A TypeName, which no constant or attribute holds, becomes a string.
c10::IValue ToIValue(const Value& value);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_IVALUE_H_
