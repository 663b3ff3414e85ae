#include "common/torchscript/lint/operator_facts.h"

#include <c10/core/ScalarType.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "common/torchscript/lint/operator_kinds.h"

namespace modelport {
namespace {

using c10::TypePtr;

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
    for (size_t i = 0; i < step_.node->outputs().size(); ++i) {
      outputs.push_back(i < schema.returns().size() ? Output(schema.returns()[i], result) : Fact());
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

}  // namespace

std::vector<Fact> OutputFacts(const Step& step, std::vector<FixedOptionPtr>& fixed_options) {
  return OperatorFacts(step, fixed_options).Outputs();
}

}  // namespace modelport
