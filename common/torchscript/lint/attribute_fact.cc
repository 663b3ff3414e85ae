#include "common/torchscript/lint/attribute_fact.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/class_type.h>
#include <c10/core/ScalarType.h>

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/text/dotted_path.h"
#include "common/torchscript/lint/held_tensors.h"

namespace modelport {
namespace {

bool IsRegistered(const c10::ClassType& type, size_t slot) { return type.is_parameter(slot) || type.is_buffer(slot); }

// True for a parameter or buffer of `owner`, which hosts convert in place.
bool IsWeight(const c10::ivalue::Object& owner, const at::Tensor& tensor) {
  for (size_t slot = 0; slot < owner.slots().size(); ++slot) {
    const c10::IValue& other = owner.getSlot(slot);
    if (IsRegistered(*owner.type(), slot) && other.isTensor() && other.toTensor().is_same(tensor)) return true;
  }
  return false;
}

// The fact of a weight of `owner`, or of a list of its weights, such as an LSTM has; nullopt for anything else.
absl::optional<Fact> WeightFact(const c10::ivalue::Object& owner, const c10::IValue& value) {
  Fact fact;
  for (const at::Tensor& tensor : HeldTensors(value)) {
    if (!IsWeight(owner, tensor)) return absl::nullopt;
    fact.device.model = true;
    fact.dtype.model |= tensor.is_floating_point();
  }
  return fact.device.model ? absl::make_optional(fact) : absl::nullopt;
}

FixedOptionPtr WithValue(FixedOption option, std::string value, bool is_device) {
  option.value = std::move(value);
  option.is_device = is_device;
  return std::make_shared<FixedOption>(std::move(option));
}

}  // namespace

Fact HeldTensorsFact(const c10::IValue& value, const FixedOption& place) {
  Fact fact;
  for (const at::Tensor& tensor : HeldTensors(value)) {
    // Operators combine tensors without dimensions with any dtype and device.
    if (tensor.dim() == 0) continue;
    fact.device.fixed = WithValue(place, tensor.device().str(), /*is_device=*/true);
    if (tensor.is_floating_point()) {
      const auto dtype = c10::getDtypeNames(tensor.scalar_type()).first;
      fact.dtype.fixed = WithValue(place, std::string(dtype), /*is_device=*/false);
    }
  }
  return fact;
}

Fact AttributeFact(const c10::ivalue::Object& owner, const std::string& path, const std::string& name) {
  const c10::IValue& value = owner.getAttr(name);
  if (value.isModule()) {
    Fact module;
    module.value = value;
    module.path = JoinPath(path, name);
    return module;
  }
  if (const absl::optional<Fact> weight = WeightFact(owner, value)) return *weight;
  Fact fact = HeldTensorsFact(value, {.kind = FixedOption::Kind::kAttribute, .call = name, .module = path});
  // A host may change attributes of all other types, so their values are not known.
  if (value.isInt() || value.isDevice()) fact.value = value;
  return fact;
}

}  // namespace modelport
