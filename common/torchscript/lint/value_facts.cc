#include "common/torchscript/lint/value_facts.h"

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

// The result of `a is b`, or of `a is not b` if `negated`. It is known if both values are known and one is None, as for
// an optional argument that was left out.
Fact IsSame(const Fact& a, const Fact& b, bool negated) {
  Fact fact;
  if (!a.value || !b.value || (!IsNone(a) && !IsNone(b))) return fact;
  fact.value = (IsNone(a) && IsNone(b)) != negated;
  return fact;
}

}  // namespace

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

}  // namespace modelport
