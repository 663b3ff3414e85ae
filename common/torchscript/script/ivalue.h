#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_IVALUE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_IVALUE_H_

#include <ATen/core/ivalue.h>

#include <type_traits>
#include <variant>

#include "common/expression/expression.h"

namespace modelport {

// `value` as a TorchScript value. A TypeName, which no constant or attribute holds, becomes a string.
inline c10::IValue ToIValue(const Value& value) {
  const auto convert = [](const auto& held) {
    if constexpr (std::is_same_v<decltype(held), const TypeName&>) {
      return c10::IValue(held.name);
    } else {
      return c10::IValue(held);
    }
  };
  return std::visit(convert, value);
}

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_IVALUE_H_
