#include "common/lint/trace.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>

#include <string>
#include <unordered_map>
#include <utility>

#include "common/lint/attribute_fact.h"
#include "common/lint/operator_facts.h"
#include "common/lint/value_facts.h"

namespace modelport {
namespace {

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
    std::vector<Fact> inputs = Inputs(node, frame);
    if (HandlesValues(node)) {
      if (FillsContainer(node)) frame.facts[node.input(0)] = Mix(inputs);
      return ValueFacts(node, inputs);
    }
    trace_.steps.push_back({&node, frame.module, std::move(inputs)});
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
    if (!owner.value || !owner.value->isModule()) return Mix({owner});
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

  Trace trace_;
};

}  // namespace

Trace TraceForward(const torch::jit::Module& module) { return Tracer().Run(module); }

}  // namespace modelport
