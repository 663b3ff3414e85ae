#include "common/torchscript/lint/step.h"

#include <algorithm>

namespace modelport {
namespace {

c10::TypePtr WithoutOptional(const c10::TypePtr& type) {
  const auto optional = type->cast<c10::OptionalType>();
  return optional == nullptr ? type : optional->getElementType();
}

bool IsTensor(const c10::TypePtr& type) { return WithoutOptional(type)->kind() == c10::TypeKind::TensorType; }

bool IsTensorList(const c10::TypePtr& type) {
  const auto list = WithoutOptional(type)->cast<c10::ListType>();
  return list != nullptr && IsTensor(list->getElementType());
}

}  // namespace

std::vector<Operand> TensorOperands(const Step& step) {
  const std::vector<c10::Argument>& formals = step.node->schema().arguments();
  std::vector<Operand> operands;
  // A variadic operator has more inputs than its schema.
  for (size_t i = 0; i < std::min(formals.size(), step.inputs.size()); ++i) {
    const bool is_list = IsTensorList(formals[i].type());
    if (is_list || IsTensor(formals[i].type())) operands.push_back({step.inputs[i].get(), is_list});
  }
  return operands;
}

const Fact* FindArgument(const Step& step, absl::string_view name) {
  const auto index = step.node->schema().argumentIndexWithName(std::string(name));
  if (!index) return nullptr;
  const Fact* fact = step.inputs[*index].get();
  return fact->value && fact->value->isNone() ? nullptr : fact;
}

absl::optional<size_t> SizesArgument(const torch::jit::Node& node) {
  for (const char* const name : {"size", "shape", "output_size", "dims"}) {
    if (const auto index = node.schema().argumentIndexWithName(name)) return static_cast<size_t>(*index);
  }
  return absl::nullopt;
}

FixedOptionPtr FindClash(const Step& step, Origin Fact::*origin) {
  const std::vector<Operand> operands = TensorOperands(step);
  for (const Operand& operand : operands) {
    const Origin& own = operand.fact->*origin;
    if (own.fixed == nullptr) continue;
    if (own.model && operand.is_list) return own.fixed;
    const auto clashes = [&](const Operand& other) {
      const Origin& theirs = other.fact->*origin;
      return theirs.model && !(own.model && theirs.fixed != nullptr);
    };
    if (std::any_of(operands.begin(), operands.end(), clashes)) return own.fixed;
  }
  return nullptr;
}

}  // namespace modelport
