#include "common/torchscript/lint/facts.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/class_type.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/text/dotted_path.h"
#include "common/torchscript/lint/operator_kinds.h"
#include "common/torchscript/lint/step.h"

namespace modelport {
namespace {

namespace aten = torch::jit::aten;
namespace prim = torch::jit::prim;
using c10::TypePtr;
using torch::jit::Node;

bool HoldsTensors(const c10::Type& type) {
  if (type.kind() == c10::TypeKind::TensorType || type.kind() == c10::TypeKind::VarType) return true;
  const auto inner = type.containedTypes();
  return std::any_of(inner.begin(), inner.end(), [](const TypePtr& type) { return HoldsTensors(*type); });
}

bool AreIntegers(TypePtr type) {
  while (const auto list = type->cast<c10::ListType>()) type = list->getElementType();
  return type->kind() == c10::TypeKind::IntType || type->kind() == c10::TypeKind::BoolType;
}

class OperatorFacts {
 public:
  OperatorFacts(const Step& step, std::vector<FixedOptionPtr>& fixed_options)
      : step_(step), name_(step.name()), operands_(TensorOperands(step)), fixed_options_(fixed_options) {}

  std::vector<Fact> Outputs() {
    const c10::FunctionSchema& schema = step_.node->schema();
    Fact result;
    result.dtype = DtypeOfResult();
    result.device = DeviceOfResult();
    if (MakesScalar()) result = Fact();
    std::vector<Fact> outputs;
    const Extents extents = ResultExtents(step_);
    for (size_t i = 0; i < step_.node->outputs().size(); ++i) {
      outputs.push_back(i < schema.returns().size() ? Output(schema.returns()[i], result) : Fact());
      outputs.back().extents = extents;
    }
    return outputs;
  }

 private:
  Fact Output(const c10::Argument& formal, Fact result) {
    // The result of these two stands for the dtype or device of the tensor.
    if (!HoldsTensors(*formal.type()) && name_ != "prim::dtype" && name_ != "prim::device") return Fact();
    if (formal.name() == "indices") result.dtype = Origin();
    result.is_input = formal.alias_info() != nullptr && AliasesInput();
    return result;
  }

  bool AliasesInput() const {
    const std::vector<c10::Argument>& formals = step_.node->schema().arguments();
    for (size_t i = 0; i < std::min(formals.size(), step_.inputs.size()); ++i) {
      if (formals[i].alias_info() != nullptr && step_.inputs[i]->is_input) return true;
    }
    return false;
  }

  // Whether the result is a tensor without dimensions. Operators combine it with any dtype and device.
  bool MakesScalar() const {
    if (name_ == "prim::NumToTensor" || name_ == "aten::scalar_tensor") return true;
    if (const auto size = step_.node->schema().argumentIndexWithName("size"); size && IsFactory()) {
      const torch::jit::Node& list = *step_.node->input(*size)->node();
      return list.kind() == torch::jit::prim::ListConstruct && list.inputs().empty();
    }
    return (name_ == "aten::tensor" || name_ == "aten::as_tensor") && operands_.empty() &&
           step_.node->input(0)->type()->kind() != c10::TypeKind::ListType;
  }

  // Whether the result is a view of its operand, or the operand itself.
  bool IsAlias() const {
    const auto& returns = step_.node->schema().returns();
    return !returns.empty() && returns[0].alias_info() != nullptr;
  }

  bool IsFactory() const {
    return operands_.empty() && step_.node->schema().argumentIndexWithName("device").has_value();
  }

  Origin DtypeOfResult() {
    if (const Fact* dtype = FindArgument(step_, "dtype")) {
      if (!dtype->value || !dtype->value->isInt()) return dtype->dtype;
      return FixedDtype(FixedOption::Kind::kWritten, static_cast<c10::ScalarType>(dtype->value->toInt()));
    }
    if (const Fact* other = Template()) return other->dtype;
    if (GivesIntegers(name_)) return Origin();
    if (IsFactory()) return DefaultDtype();
    if (operands_.empty()) return Origin();
    if (IsAlias() || PicksElements(name_)) return operands_[0].fact->dtype;
    return WantsOneDtype(name_) ? ModelWins(&Fact::dtype) : Promote();
  }

  Origin DeviceOfResult() {
    if (name_ == "aten::cpu" || name_ == "aten::cuda") {
      return AddFixedOption(FixedOption::Kind::kWritten, name_.substr(6), /*is_device=*/true);
    }
    if (const Fact* device = FindArgument(step_, "device")) {
      if (!device->value || !device->value->isDevice()) return device->device;
      return AddFixedOption(FixedOption::Kind::kWritten, device->value->toDevice().str(), /*is_device=*/true);
    }
    if (const Fact* other = Template()) return other->device;
    if (IsFactory()) return AddFixedOption(FixedOption::Kind::kDefault, "cpu", /*is_device=*/true);
    if (operands_.empty()) return Origin();
    return PicksElements(name_) ? operands_[0].fact->device : ModelWins(&Fact::device);
  }

  // The tensor whose dtype and device the result takes; null if there is none.
  const Fact* Template() const {
    return name_ == "aten::type_as" || name_ == "aten::to" ? FindArgument(step_, "other") : nullptr;
  }

  Origin DefaultDtype() {
    const bool integers = AreIntegers(step_.node->input(name_ == "aten::full" ? 1 : 0)->type());
    if (integers && TakesDtypeOfNumbers(name_)) return Origin();
    return FixedDtype(FixedOption::Kind::kDefault, c10::kFloat);
  }

  // The dtype after type promotion. A fixed dtype, such as float32, wins over the model's.
  Origin Promote() const {
    Origin joined;
    for (const Operand& operand : operands_) {
      const Origin& dtype = operand.fact->dtype;
      if (dtype.fixed != nullptr && !dtype.model) return dtype;
      joined = Join(joined, dtype);
    }
    return joined;
  }

  // The joined origins of all operands. A clash is reported at this step, so the result forgets the fixed option, and
  // later steps do not report it again.
  Origin ModelWins(Origin Fact::*origin) const {
    Origin joined;
    for (const Operand& operand : operands_) joined = Join(joined, operand.fact->*origin);
    if (joined.model && (operands_.size() > 1 || operands_[0].is_list)) joined.fixed = nullptr;
    return joined;
  }

  Origin FixedDtype(FixedOption::Kind kind, c10::ScalarType type) {
    if (!c10::isFloatingType(type)) return Origin();
    return AddFixedOption(kind, std::string(c10::getDtypeNames(type).first), /*is_device=*/false);
  }

  Origin AddFixedOption(FixedOption::Kind kind, std::string value, bool is_device) {
    auto option = std::make_shared<FixedOption>(FixedOption{.kind = kind,
                                                            .value = std::move(value),
                                                            .call = name_,
                                                            .module = step_.module,
                                                            .line = FindSourceLine(step_.node->sourceRange()),
                                                            .is_device = is_device});
    fixed_options_.push_back(option);
    return {.fixed = std::move(option)};
  }

  const Step& step_;
  const std::string name_;
  const std::vector<Operand> operands_;
  std::vector<FixedOptionPtr>& fixed_options_;
};

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
    fact.extents = FixedExtents(tensor);
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

bool IsGeneric(const c10::Argument& argument) { return argument.type()->hasFreeVariables(); }

bool WritesFirst(const c10::FunctionSchema& schema) {
  const std::vector<c10::Argument>& formals = schema.arguments();
  return !formals.empty() && formals[0].alias_info() != nullptr && formals[0].alias_info()->isWrite();
}

bool IsNone(const Fact& fact) { return fact.value && fact.value->isNone(); }

// The result of `a is b`, or of `a is not b` if `negated`. It is known if both values are known and one is None, as for
// an optional argument that was left out.
Fact IsSame(const Fact& a, const Fact& b, bool negated) {
  Fact fact;
  if (!a.value || !b.value || (!IsNone(a) && !IsNone(b))) return fact;
  fact.value = (IsNone(a) && IsNone(b)) != negated;
  return fact;
}

}  // namespace

std::vector<Fact> OutputFacts(const Step& step, std::vector<FixedOptionPtr>& fixed_options) {
  return OperatorFacts(step, fixed_options).Outputs();
}

Fact HeldTensorsFact(const c10::IValue& value, const FixedOption& place) {
  Fact fact;
  for (const at::Tensor& tensor : HeldTensors(value)) {
    // Operators combine tensors without dimensions with any dtype and device.
    if (tensor.dim() == 0) continue;
    fact.extents = FixedExtents(tensor);
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
  fact.extents.first = fact.extents.rest = Extent::kFixed;
  return fact;
}

bool HandlesValues(const Node& node) {
  if (node.maybeSchema() == nullptr || node.kind() == aten::__is__ || node.kind() == aten::__isnot__) return true;
  if (node.schema().is_vararg() || node.schema().is_varret()) return true;
  const std::vector<c10::Argument>& returns = node.schema().returns();
  return std::any_of(returns.begin(), returns.end(), IsGeneric) || FillsContainer(node);
}

std::vector<FactPtr> ValueFacts(const Node& node, const std::vector<FactPtr>& inputs, FactPool& pool) {
  if (node.kind() == aten::__is__ || node.kind() == aten::__isnot__) {
    return {pool.Add(IsSame(*inputs[0], *inputs[1], /*negated=*/node.kind() == aten::__isnot__))};
  }
  if (node.kind() == prim::unchecked_cast) return inputs;
  if (node.kind() == prim::TupleUnpack && inputs[0]->elements.size() == node.outputs().size()) {
    return inputs[0]->elements;
  }
  Fact mix = Mix(inputs);
  if (node.kind() == prim::TupleConstruct) mix.elements = inputs;
  return std::vector<FactPtr>(node.outputs().size(), pool.Add(std::move(mix)));
}

bool FillsContainer(const Node& node) {
  return node.maybeSchema() != nullptr && WritesFirst(node.schema()) && IsGeneric(node.schema().arguments()[0]);
}

std::vector<at::Tensor> HeldTensors(const c10::IValue& value) {
  std::vector<at::Tensor> tensors;
  absl::flat_hash_set<const void*> seen;
  // If the visitor returns true, the visit skips the contents of the value.
  value.visit([&](const c10::IValue& held) {
    if (!held.isPtrType()) return false;
    if (!seen.insert(held.internalToPointer()).second) return true;
    if (held.isTensor() && held.toTensor().defined()) tensors.push_back(held.toTensor());
    return false;
  });
  return tensors;
}

}  // namespace modelport
