#include "common/torchscript/script/ivalue.h"

#include <variant>

namespace modelport {
namespace {

struct Converter {
  c10::IValue operator()(const TypeName& type) const { return c10::IValue(type.name); }
  template <typename T>
  c10::IValue operator()(const T& value) const {
    return c10::IValue(value);
  }
};

}  // namespace

c10::IValue ToIValue(const Value& value) { return std::visit(Converter(), value); }

}  // namespace modelport
