#include "common/lint/trace.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/lint/attribute_fact.h"
#include "common/lint/operator_facts.h"

namespace modelport {
namespace {

namespace aten = torch::jit::aten;
namespace prim = torch::jit::prim;
using torch::jit::Block;
using torch::jit::Function;
using torch::jit::Node;
using torch::jit::Value;

// A call of a function that is under way.
struct Frame {
  std::string module;  // Path of the module whose code it is.
  std::unordered_map<const Value*, Fact> facts;
};

Fact KnownValue(c10::IValue value) {
  Fact fact;
  fact.value = std::move(value);
  return fact;
}

bool IsNone(const Fact& fact) { return fact.value && fact.value->isNone(); }

// True for aten::append(t[](a!) self, t el) and the like.
bool WritesFirst(const c10::FunctionSchema& schema) {
  const std::vector<c10::Argument>& formals = schema.arguments();
  return !formals.empty() && formals[0].alias_info() != nullptr && formals[0].alias_info()->isWrite();
}

// True for operators of lists and dictionaries, whatever these hold.
bool WorksOnContainer(const c10::FunctionSchema& schema) {
  const auto is_generic = [](const c10::Argument& argument) { return argument.type()->hasFreeVariables(); };
  if (std::any_of(schema.returns().begin(), schema.returns().end(), is_generic)) return true;
  return WritesFirst(schema) && is_generic(schema.arguments()[0]);
}

class Tracer {
 public:
  Trace Run(const torch::jit::Module& module) {
    const Function* forward = module.type()->findMethod("forward");
    if (forward == nullptr) return {};
    std::vector<Fact> arguments(forward->getSchema().arguments().size());
    for (Fact& argument : arguments) {
      argument.dtype.model = argument.device.model = true;
      argument.is_input = true;
    }
    arguments[0] = KnownValue(module._ivalue());
    CallFunction(*forward, "", std::move(arguments));
    return std::move(trace_);
  }

 private:
  Fact CallFunction(const Function& function, const std::string& module, std::vector<Fact> arguments) {
    // LibTorch's own interface for this is not const.
    auto* graph_function = torch::jit::tryToGraphFunction(const_cast<Function&>(function));
    if (graph_function == nullptr) return {};
    const Block& body = *graph_function->graph()->block();
    Frame frame{module, {}};
    for (size_t i = 0; i < body.inputs().size(); ++i) frame.facts[body.inputs()[i]] = std::move(arguments[i]);
    VisitBlock(body, frame);
    return frame.facts[body.outputs()[0]];
  }

  void VisitBlock(const Block& block, Frame& frame) {
    for (const Node* node : block.nodes()) VisitNode(*node, frame);
  }

  void VisitNode(const Node& node, Frame& frame) {
    if (node.kind() == prim::If) return VisitIf(node, frame);
    if (node.kind() == prim::Loop) return VisitLoop(node, frame);
    std::vector<Fact> outputs = Outputs(node, frame);
    for (size_t i = 0; i < outputs.size(); ++i) frame.facts[node.outputs()[i]] = std::move(outputs[i]);
  }

  std::vector<Fact> Outputs(const Node& node, Frame& frame) {
    const auto kind = node.kind();
    if (kind == prim::Constant) return {Constant(node, frame)};
    if (kind == prim::GetAttr) return {GetAttr(node, frame)};
    if (kind == prim::CallMethod) return {CallMethod(node, frame)};
    if (kind == prim::CallFunction) return {CallFreeFunction(node, frame)};
    if (kind == aten::__is__ || kind == aten::__isnot__) return {IsSame(node, frame)};
    if (kind == prim::TupleConstruct) return {MakeTuple(node, frame)};
    if (kind == prim::TupleUnpack) return Unpack(node, frame);
    if (kind == prim::unchecked_cast) return Inputs(node, frame);
    if (node.maybeSchema() == nullptr || WorksOnContainer(node.schema())) return WorkOnContainer(node, frame);
    trace_.steps.push_back({&node, frame.module, Inputs(node, frame)});
    return OutputFacts(trace_.steps.back(), trace_.literals);
  }

  std::vector<Fact> Inputs(const Node& node, Frame& frame) {
    std::vector<Fact> inputs;
    for (const Value* input : node.inputs()) inputs.push_back(frame.facts[input]);
    return inputs;
  }

  void VisitIf(const Node& node, Frame& frame) {
    const Fact condition = frame.facts[node.input()];
    const bool decided = condition.value && condition.value->isBool();
    std::vector<const Block*> branches(node.blocks().begin(), node.blocks().end());
    if (decided) branches = {node.blocks()[condition.value->toBool() ? 0 : 1]};
    for (const Block* branch : branches) VisitBlock(*branch, frame);
    for (size_t i = 0; i < node.outputs().size(); ++i) {
      const Fact first = frame.facts[branches.front()->outputs()[i]];
      frame.facts[node.outputs()[i]] = Join(first, frame.facts[branches.back()->outputs()[i]]);
    }
  }

  // Its inputs are a count and a condition, then what one round hands to the next. The block has the round's number
  // and these, and gives the condition and these.
  void VisitLoop(const Node& node, Frame& frame) {
    // Facts only grow. What grows later than this has gone through four variables, round after round.
    constexpr int kRounds = 4;
    const Block& body = *node.blocks()[0];
    std::vector<Fact> carried = Inputs(node, frame);
    carried.erase(carried.begin(), carried.begin() + 2);
    for (int round = 0; round < kRounds; ++round) {
      for (size_t i = 0; i < carried.size(); ++i) frame.facts[body.inputs()[i + 1]] = carried[i];
      VisitBlock(body, frame);
      for (size_t i = 0; i < carried.size(); ++i) carried[i] = Join(carried[i], frame.facts[body.outputs()[i + 1]]);
    }
    for (size_t i = 0; i < carried.size(); ++i) frame.facts[node.outputs()[i]] = carried[i];
  }

  Fact Constant(const Node& node, const Frame& frame) {
    const auto value = torch::jit::toIValue(node.output());
    if (!value) return {};
    Fact fact = HeldTensorsFact(
        *value, Literal{Literal::Kind::kConstant, "", "", frame.module, FindSourceLine(node.sourceRange()), false});
    if (!value->isTensor()) fact.value = *value;
    return Remember(fact);
  }

  Fact GetAttr(const Node& node, Frame& frame) {
    const Fact& owner = frame.facts[node.input()];
    if (!owner.value || !owner.value->isModule()) return Blend({owner});
    return Remember(AttributeFact(owner.value->toObjectRef(), owner.path, node.s(torch::jit::attr::name)));
  }

  const Fact& Remember(const Fact& fact) {
    if (fact.dtype.literal) trace_.literals.push_back(fact.dtype.literal);
    if (fact.device.literal) trace_.literals.push_back(fact.device.literal);
    return fact;
  }

  Fact CallMethod(const Node& node, Frame& frame) {
    std::vector<Fact> arguments = Inputs(node, frame);
    const Fact owner = arguments[0];
    const bool known = owner.value && owner.value->isModule();
    const auto type = known ? owner.value->toObjectRef().type() : node.input(0)->type()->cast<c10::ClassType>();
    const Function* method = type == nullptr ? nullptr : type->findMethod(node.s(torch::jit::attr::name));
    if (method == nullptr) return {};
    return CallFunction(*method, known ? owner.path : frame.module, std::move(arguments));
  }

  Fact CallFreeFunction(const Node& node, Frame& frame) {
    std::vector<Fact> arguments = Inputs(node, frame);
    arguments.erase(arguments.begin());
    const auto& type = node.input(0)->type()->expectRef<c10::FunctionType>();
    return CallFunction(*type.function(), frame.module, std::move(arguments));
  }

  // Decided where both are known and one is None: an optional argument that was left out.
  Fact IsSame(const Node& node, Frame& frame) {
    const std::vector<Fact> inputs = Inputs(node, frame);
    if (!inputs[0].value || !inputs[1].value || (!IsNone(inputs[0]) && !IsNone(inputs[1]))) return {};
    const bool same = IsNone(inputs[0]) && IsNone(inputs[1]);
    return KnownValue(same == (node.kind() == aten::__is__));
  }

  Fact MakeTuple(const Node& node, Frame& frame) {
    std::vector<Fact> elements = Inputs(node, frame);
    Fact tuple = Blend(elements);
    tuple.elements = std::move(elements);
    return tuple;
  }

  std::vector<Fact> Unpack(const Node& node, Frame& frame) {
    const Fact& tuple = frame.facts[node.input()];
    if (tuple.elements.size() == node.outputs().size()) return tuple.elements;
    return std::vector<Fact>(node.outputs().size(), Blend({tuple}));
  }

  // Whatever goes into a list or dictionary may come out of it.
  std::vector<Fact> WorkOnContainer(const Node& node, Frame& frame) {
    const Fact blend = Blend(Inputs(node, frame));
    if (node.maybeSchema() != nullptr && WritesFirst(node.schema())) frame.facts[node.input(0)] = blend;
    return std::vector<Fact>(node.outputs().size(), blend);
  }

  static Fact Blend(const std::vector<Fact>& facts) {
    Fact blend;
    for (const Fact& fact : facts) {
      blend.dtype = Join(blend.dtype, fact.dtype);
      blend.device = Join(blend.device, fact.device);
      blend.is_input |= fact.is_input;
    }
    return blend;
  }

  Trace trace_;
};

}  // namespace

Trace TraceForward(const torch::jit::Module& module) { return Tracer().Run(module); }

}  // namespace modelport
