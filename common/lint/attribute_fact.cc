#include "common/lint/attribute_fact.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/class_type.h>
#include <c10/core/ScalarType.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

std::string ChildPath(const std::string& path, const std::string& name) {
  return path.empty() ? name : absl::StrCat(path, ".", name);
}

// The host converts these.
Fact WeightFact(const at::Tensor& tensor) {
  Fact fact;
  fact.dtype.model = tensor.is_floating_point();
  fact.device.model = true;
  return fact;
}

LiteralPtr WithValue(Literal literal, std::string value, bool is_device) {
  literal.value = std::move(value);
  literal.is_device = is_device;
  return std::make_shared<Literal>(std::move(literal));
}

}  // namespace

Fact HeldTensorsFact(const c10::IValue& value, const Literal& place) {
  Fact fact;
  value.visit([&](const c10::IValue& held) {
    // Tensors without dimensions go with any dtype and device.
    if (!held.isTensor() || !held.toTensor().defined() || held.toTensor().dim() == 0) return false;
    const at::Tensor& tensor = held.toTensor();
    fact.device.literal = WithValue(place, tensor.device().str(), /*is_device=*/true);
    if (tensor.is_floating_point()) {
      const auto dtype = c10::getDtypeNames(tensor.scalar_type()).first;
      fact.dtype.literal = WithValue(place, std::string(dtype), /*is_device=*/false);
    }
    return false;
  });
  return fact;
}

Fact AttributeFact(const c10::ivalue::Object& owner, const std::string& path, const std::string& name) {
  const c10::ClassType& type = *owner.type();
  const size_t slot = type.getAttributeSlot(name);
  const c10::IValue& value = owner.getSlot(slot);
  if (value.isTensor() && (type.is_parameter(slot) || type.is_buffer(slot))) return WeightFact(value.toTensor());
  if (value.isModule()) {
    Fact module;
    module.value = value;
    module.path = ChildPath(path, name);
    return module;
  }
  Fact fact = HeldTensorsFact(value, Literal{Literal::Kind::kAttribute, "", name, path, {}, false});
  // A host may change the others.
  if (value.isInt() || value.isDevice()) fact.value = value;
  return fact;
}

}  // namespace modelport
