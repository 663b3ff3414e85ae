#include "common/lint/trace.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>

#include <memory>
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

// A call of a function. It stays when it has returned: in a loop it is made again, and what has grown is grown then.
struct Frame {
  std::string module;  // Path of the module whose code it is.
  std::unordered_map<const Value*, Fact> facts;
  std::unordered_map<const Value*, Fact> grown;  // What loop variables and containers have been so far.
  std::unordered_map<const Node*, std::unique_ptr<Frame>> calls;
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
    Frame frame;
    CallFunction(*forward, std::move(arguments), frame);
    return std::move(trace_);
  }

 private:
  Fact CallFunction(const Function& function, std::vector<Fact> arguments, Frame& frame) {
    // LibTorch's own interface for this is not const.
    auto* graph_function = torch::jit::tryToGraphFunction(const_cast<Function&>(function));
    if (graph_function == nullptr) return {};
    const Block& body = *graph_function->graph()->block();
    for (size_t i = 0; i < body.inputs().size(); ++i) frame.facts[body.inputs()[i]] = std::move(arguments[i]);
    VisitBlock(body, frame);
    return frame.facts[body.outputs()[0]];
  }

  // The frame of the call that `node` makes.
  Frame& CalleeFrame(const Node& node, const std::string& module, Frame& caller) {
    std::unique_ptr<Frame>& frame = caller.calls[&node];
    if (frame == nullptr) frame = std::make_unique<Frame>();
    frame->module = module;
    return *frame;
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
      if (FillsContainer(node)) Grow(*node.input(0), Mix(inputs), frame);
      return ValueFacts(node, inputs);
    }
    trace_.steps.push_back({&node, frame.module, std::move(inputs)});
    return OutputFacts(trace_.steps.back(), trace_.fixed_options);
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
    const Block& body = *node.blocks()[0];
    const size_t variables = node.outputs().size();
    for (size_t i = 0; i < variables; ++i) Grow(*body.inputs()[i + 1], frame.facts[node.input(i + 2)], frame);
    size_t growths;
    do {
      growths = growths_;
      VisitBlock(body, frame);
      for (size_t i = 0; i < variables; ++i) Grow(*body.inputs()[i + 1], frame.facts[body.outputs()[i + 1]], frame);
    } while (growths_ != growths);
    for (size_t i = 0; i < variables; ++i) frame.facts[node.outputs()[i]] = frame.facts[body.inputs()[i + 1]];
  }

  // Adds `fact` to what is known of a loop variable or container. Each grows a few times at most, over all rounds of
  // all loops around it, and so loops end, and soon, however deep they are nested.
  void Grow(const Value& value, const Fact& fact, Frame& frame) {
    const auto [grown, is_new] = frame.grown.try_emplace(&value, fact);
    if (is_new || Extend(grown->second, fact)) ++growths_;
    frame.facts[&value] = grown->second;
  }

  Fact Constant(const Node& node, const Frame& frame) {
    const auto value = torch::jit::toIValue(node.output());
    if (!value) return {};
    Fact fact = HeldTensorsFact(
        *value,
        {.kind = FixedOption::Kind::kConstant, .module = frame.module, .line = FindSourceLine(node.sourceRange())});
    if (!value->isTensor()) fact.value = *value;
    return Remember(fact);
  }

  Fact GetAttr(const Node& node, Frame& frame) {
    const Fact& owner = frame.facts[node.input()];
    if (!owner.value || !owner.value->isModule()) return Mix({owner});
    return Remember(AttributeFact(owner.value->toObjectRef(), owner.path, node.s(torch::jit::attr::name)));
  }

  const Fact& Remember(const Fact& fact) {
    if (fact.dtype.fixed) trace_.fixed_options.push_back(fact.dtype.fixed);
    if (fact.device.fixed) trace_.fixed_options.push_back(fact.device.fixed);
    return fact;
  }

  Fact CallMethod(const Node& node, Frame& frame) {
    std::vector<Fact> arguments = Inputs(node, frame);
    const Fact owner = arguments[0];
    const bool known = owner.value && owner.value->isModule();
    const auto type = known ? owner.value->toObjectRef().type() : node.input(0)->type()->cast<c10::ClassType>();
    const Function* method = type == nullptr ? nullptr : type->findMethod(node.s(torch::jit::attr::name));
    if (method == nullptr) return {};
    return CallFunction(*method, std::move(arguments), CalleeFrame(node, known ? owner.path : frame.module, frame));
  }

  Fact CallFreeFunction(const Node& node, Frame& frame) {
    std::vector<Fact> arguments = Inputs(node, frame);
    arguments.erase(arguments.begin());
    const auto& type = node.input(0)->type()->expectRef<c10::FunctionType>();
    return CallFunction(*type.function(), std::move(arguments), CalleeFrame(node, frame.module, frame));
  }

  Trace trace_;
  size_t growths_ = 0;
};

}  // namespace

Trace TraceForward(const torch::jit::Module& module) { return Tracer().Run(module); }

}  // namespace modelport
