#include "common/lint/value_facts.h"

#include <algorithm>
#include <utility>

namespace modelport {
namespace {

namespace aten = torch::jit::aten;
namespace prim = torch::jit::prim;
using torch::jit::Node;

bool IsGeneric(const c10::Argument& argument) { return argument.type()->hasFreeVariables(); }

bool WritesFirst(const c10::FunctionSchema& schema) {
  const std::vector<c10::Argument>& formals = schema.arguments();
  return !formals.empty() && formals[0].alias_info() != nullptr && formals[0].alias_info()->isWrite();
}

bool IsNone(const Fact& fact) { return fact.value && fact.value->isNone(); }

// Decided where both are known and one is None: an optional argument that was left out.
Fact IsSame(const std::vector<Fact>& inputs, bool negated) {
  Fact fact;
  if (!inputs[0].value || !inputs[1].value || (!IsNone(inputs[0]) && !IsNone(inputs[1]))) return fact;
  fact.value = (IsNone(inputs[0]) && IsNone(inputs[1])) != negated;
  return fact;
}

}  // namespace

bool HandlesValues(const Node& node) {
  if (node.maybeSchema() == nullptr || node.kind() == aten::__is__ || node.kind() == aten::__isnot__) return true;
  if (node.schema().is_vararg() || node.schema().is_varret()) return true;
  const std::vector<c10::Argument>& returns = node.schema().returns();
  return std::any_of(returns.begin(), returns.end(), IsGeneric) || FillsContainer(node);
}

std::vector<Fact> ValueFacts(const Node& node, const std::vector<Fact>& inputs) {
  if (node.kind() == aten::__is__ || node.kind() == aten::__isnot__) {
    return {IsSame(inputs, /*negated=*/node.kind() == aten::__isnot__)};
  }
  if (node.kind() == prim::unchecked_cast) return inputs;
  if (node.kind() == prim::TupleUnpack && inputs[0].elements.size() == node.outputs().size()) {
    return inputs[0].elements;
  }
  std::vector<Fact> outputs(node.outputs().size(), Mix(inputs));
  if (node.kind() == prim::TupleConstruct) outputs[0].elements = inputs;
  return outputs;
}

bool FillsContainer(const Node& node) {
  return node.maybeSchema() != nullptr && WritesFirst(node.schema()) && IsGeneric(node.schema().arguments()[0]);
}

}  // namespace modelport
