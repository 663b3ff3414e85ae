#include "common/torchscript/lint/trace.h"

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>

#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/status/status_macros.h"
#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/facts.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

namespace prim = torch::jit::prim;
using torch::jit::Block;
using torch::jit::Function;
using torch::jit::Node;
using torch::jit::Value;

// Known networks take some tens of thousands of visits, and nest calls and blocks about a dozen deep.
constexpr int kMaxVisits = 1'000'000;
constexpr int kMaxDepth = 1'000;

// A function, the path of the module for which it is called, and the facts about its arguments.
using Call = std::tuple<const Function*, std::string, std::vector<FactPtr>>;

// The facts about the values of one call. They are kept until the call ends, so they accumulate over loop iterations.
struct Frame {
  std::string module;  // The path of the module whose code is called.
  absl::flat_hash_map<const Value*, FactPtr> facts;
  absl::flat_hash_map<const Value*, FactPtr> grown;  // The joined facts so far of loop variables and containers.
  int growths = 0;                                   // The number of changes of `grown`.
};

Fact KnownValue(c10::IValue value) {
  Fact fact;
  fact.value = std::move(value);
  fact.extents = {.first = Extent::kFixed, .rest = Extent::kFixed};
  return fact;
}

class Tracer {
 public:
  void Follow(const torch::jit::Module& module) {
    const Function* forward = module.type()->findMethod("forward");
    if (forward == nullptr) return;
    Fact input;
    input.dtype.model = input.device.model = true;
    input.extents = {.first = Extent::kFixed, .rest = Extent::kImage};
    input.is_input = true;
    std::vector<FactPtr> arguments(forward->getSchema().arguments().size(), pool_.Add(std::move(input)));
    arguments[0] = pool_.Add(KnownValue(module._ivalue()));
    result_ = CallFunction(*forward, "", std::move(arguments));
  }

  absl::StatusOr<Trace> Take() && {
    if (too_large_) {
      return absl::ResourceExhaustedError(absl::StrCat("forward takes more than ", kMaxVisits,
                                                       " steps to follow, or its calls and blocks are more than ",
                                                       kMaxDepth, " deep\n  save parts of the module and lint them"));
    }
    return Trace{std::move(steps_), pool_.fixed_options(), result_};
  }

 private:
  FactPtr CallFunction(const Function& function, const std::string& module, std::vector<FactPtr> arguments) {
    // tryToGraphFunction takes no const function.
    auto* graph_function = torch::jit::tryToGraphFunction(const_cast<Function&>(function));
    if (graph_function == nullptr) return pool_.unknown();
    // Until the call has been followed, its result is unknown, since the call may be recursive.
    const Call call = {&function, module, arguments};
    const auto [known, is_new] = results_.try_emplace(call, pool_.unknown());
    if (!is_new) return known->second;
    const Block& body = *graph_function->graph()->block();
    Frame frame;
    frame.module = module;
    for (size_t i = 0; i < body.inputs().size(); ++i) frame.facts[body.inputs()[i]] = std::move(arguments[i]);
    VisitBlock(body, frame);
    return results_[call] = FactOf(*body.outputs()[0], frame);
  }

  FactPtr FactOf(const Value& value, const Frame& frame) const {
    const auto found = frame.facts.find(&value);
    return found == frame.facts.end() ? pool_.unknown() : found->second;
  }

  void VisitBlock(const Block& block, Frame& frame) {
    if (++depth_ > kMaxDepth) too_large_ = true;
    for (const Node* node : block.nodes()) {
      if (++visits_ > kMaxVisits) too_large_ = true;
      if (too_large_) break;
      VisitNode(*node, frame);
    }
    --depth_;
  }

  void VisitNode(const Node& node, Frame& frame) {
    if (node.kind() == prim::If) return VisitIf(node, frame);
    if (node.kind() == prim::Loop) return VisitLoop(node, frame);
    const std::vector<FactPtr> outputs = Outputs(node, frame);
    for (size_t i = 0; i < outputs.size(); ++i) frame.facts[node.outputs()[i]] = outputs[i];
  }

  std::vector<FactPtr> Outputs(const Node& node, Frame& frame) {
    const auto kind = node.kind();
    if (kind == prim::Constant) return {Constant(node, frame)};
    if (kind == prim::GetAttr) return {GetAttr(node, frame)};
    if (kind == prim::CallMethod) return {CallMethod(node, frame)};
    if (kind == prim::CallFunction) return {CallFreeFunction(node, frame)};
    std::vector<FactPtr> inputs = Inputs(node, frame);
    if (HandlesValues(node)) {
      if (FillsContainer(node)) Grow(*node.input(0), pool_.Add(Mix(inputs)), frame);
      return ValueFacts(node, inputs, pool_);
    }
    steps_.push_back({&node, frame.module, std::move(inputs), Sizes(node, frame)});
    return StepOutputs(steps_.back());
  }

  std::vector<FactPtr> StepOutputs(const Step& step) {
    std::vector<FixedOptionPtr> fixed;
    std::vector<FactPtr> outputs;
    for (Fact& fact : OutputFacts(step, fixed)) outputs.push_back(pool_.Add(std::move(fact)));
    // A fixed option may be missing in the facts about the outputs, but it still counts.
    for (const FixedOptionPtr& option : fixed) pool_.Add(option);
    return outputs;
  }

  std::vector<FactPtr> Inputs(const Node& node, const Frame& frame) const {
    std::vector<FactPtr> inputs;
    for (const Value* input : node.inputs()) inputs.push_back(FactOf(*input, frame));
    return inputs;
  }

  // The ints of the list that gives the result of `node` its sizes.
  std::vector<FactPtr> Sizes(const Node& node, const Frame& frame) {
    const absl::optional<size_t> index = SizesArgument(node);
    if (!index || *index >= node.inputs().size()) return {};
    const Node& list = *node.input(*index)->node();
    if (list.kind() == prim::ListConstruct) return Inputs(list, frame);
    const auto constant = torch::jit::toIValue(node.input(*index));
    std::vector<FactPtr> sizes;
    if (!constant || !constant->isIntList()) return sizes;
    for (const int64_t size : constant->toIntVector()) sizes.push_back(pool_.Add(KnownValue(size)));
    return sizes;
  }

  void VisitIf(const Node& node, Frame& frame) {
    const FactPtr condition = FactOf(*node.input(), frame);
    const bool decided = condition->value && condition->value->isBool();
    std::vector<const Block*> branches(node.blocks().begin(), node.blocks().end());
    if (decided) branches = {node.blocks()[condition->value->toBool() ? 0 : 1]};
    for (const Block* branch : branches) VisitBlock(*branch, frame);
    for (size_t i = 0; i < node.outputs().size(); ++i) {
      frame.facts[node.outputs()[i]] =
          pool_.Join(FactOf(*branches.front()->outputs()[i], frame), FactOf(*branches.back()->outputs()[i], frame));
    }
  }

  // A prim::Loop has the inputs: trip count, condition, loop variables. Its block has the inputs: iteration number,
  // loop variables; and the outputs: condition, loop variables.
  void VisitLoop(const Node& node, Frame& frame) {
    const Block& body = *node.blocks()[0];
    const size_t variables = node.outputs().size();
    for (size_t i = 0; i < variables; ++i) Grow(*body.inputs()[i + 1], FactOf(*node.input(i + 2), frame), frame);
    int growths;
    do {
      growths = frame.growths;
      VisitBlock(body, frame);
      for (size_t i = 0; i < variables; ++i) {
        Grow(*body.inputs()[i + 1], FactOf(*body.outputs()[i + 1], frame), frame);
      }
    } while (frame.growths != growths);
    for (size_t i = 0; i < variables; ++i) frame.facts[node.outputs()[i]] = FactOf(*body.inputs()[i + 1], frame);
  }

  // Joins `fact` to the facts so far of a loop variable or container. The joined fact can change only a few times, over
  // all iterations of all loops around it, so VisitLoop ends soon, even for deeply nested loops.
  void Grow(const Value& value, const FactPtr& fact, Frame& frame) {
    FactPtr& grown = frame.grown[&value];
    const FactPtr joined = grown == nullptr ? fact : pool_.Join(grown, fact);
    if (joined != grown) ++frame.growths;
    grown = joined;
    frame.facts[&value] = joined;
  }

  FactPtr Constant(const Node& node, const Frame& frame) {
    const auto value = torch::jit::toIValue(node.output());
    if (!value) return pool_.unknown();
    Fact fact = HeldTensorsFact(
        *value,
        {.kind = FixedOption::Kind::kConstant, .module = frame.module, .line = FindSourceLine(node.sourceRange())});
    if (!value->isTensor()) fact.value = *value;
    fact.extents.first = fact.extents.rest = Extent::kFixed;
    return pool_.Add(std::move(fact));
  }

  FactPtr GetAttr(const Node& node, const Frame& frame) {
    const FactPtr owner = FactOf(*node.input(), frame);
    if (!owner->value || !owner->value->isModule()) return pool_.Add(Mix({owner}));
    return pool_.Add(AttributeFact(owner->value->toObjectRef(), owner->path, node.s(torch::jit::attr::name)));
  }

  FactPtr CallMethod(const Node& node, const Frame& frame) {
    std::vector<FactPtr> arguments = Inputs(node, frame);
    const Fact& owner = *arguments[0];
    const bool known = owner.value && owner.value->isModule();
    const auto type = known ? owner.value->toObjectRef().type() : node.input(0)->type()->cast<c10::ClassType>();
    const Function* method = type == nullptr ? nullptr : type->findMethod(node.s(torch::jit::attr::name));
    if (method == nullptr) return pool_.unknown();
    return CallFunction(*method, known ? owner.path : frame.module, std::move(arguments));
  }

  FactPtr CallFreeFunction(const Node& node, const Frame& frame) {
    std::vector<FactPtr> arguments = Inputs(node, frame);
    arguments.erase(arguments.begin());
    const auto& type = node.input(0)->type()->expectRef<c10::FunctionType>();
    return CallFunction(*type.function(), frame.module, std::move(arguments));
  }

  FactPool pool_;
  absl::flat_hash_map<Call, FactPtr> results_;
  std::vector<Step> steps_;
  int visits_ = 0;
  int depth_ = 0;
  bool too_large_ = false;
  FactPtr result_ = pool_.unknown();
};

}  // namespace

absl::StatusOr<Trace> TraceForward(const torch::jit::Module& module) {
  Tracer tracer;
  RETURN_IF_ERROR(CatchTorch([&] { tracer.Follow(module); }));
  return std::move(tracer).Take();
}

}  // namespace modelport
