#include "common/torchscript/parity/observe.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/function.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

using torch::jit::Block;
using torch::jit::Graph;
using torch::jit::Node;
using torch::jit::Operation;
using torch::jit::Stack;
using torch::jit::Value;

// A call in the code.
struct Site {
  std::string path;
  std::string method;
  bool returns_tensor;
};

// A run of an instrumented graph.
class Run {
 public:
  Run(std::vector<Site> sites, TensorObserver observe, CallObserver observe_call)
      : sites_(std::move(sites)), observe_(observe), observe_call_(observe_call) {}

  // Returns whether the call is to be made; if not, Replacement() takes its place.
  bool Enter(size_t site, c10::IValue* arguments, size_t count) {
    const auto& [path, method, returns_tensor] = sites_[site];
    ObservedTensor& point = running_.emplace_back();
    point.caller = running_.size() > 1 ? running_[running_.size() - 2].stage.path : "";
    point.stage = {.path = path, .method = method, .call = calls_[{path, method}]++};
    replacement_ = observe_call_(point.stage, std::vector<c10::IValue>(arguments, arguments + count));
    if (replacement_.defined() && returns_tensor) return false;
    point.stage.side = Stage::Side::kInput;
    for (size_t i = 0; i < count; ++i) {
      point.stage.argument = i;
      arguments[i] = Observe(point, arguments[i]);
    }
    return true;
  }

  // Of the call that was entered last.
  at::Tensor Replacement() {
    is_replaced_ = true;
    return std::move(replacement_);
  }

  void Leave(c10::IValue& result) {
    ObservedTensor point = std::move(running_.back());
    running_.pop_back();
    if (std::exchange(is_replaced_, false)) return;
    point.stage.side = Stage::Side::kOutput;
    point.stage.argument = 0;
    result = Observe(point, result);
  }

  void ObserveResult(c10::IValue& result) { result = Observe({.is_result = true}, result); }

 private:
  c10::IValue Observe(ObservedTensor point, const c10::IValue& value) {
    bool is_same = true;
    c10::IValue observed = MapTensors(value, [&](const std::string& element, const at::Tensor& tensor) {
      point.stage.element = element;
      point.name = !point.is_result ? StageName(point.stage) : element.empty() ? "output" : JoinPath("output", element);
      at::Tensor passed = observe_(point, tensor);
      is_same &= passed.is_same(tensor);
      return passed;
    });
    // A copy of a list is not the list that other code may write to.
    return is_same ? value : observed;
  }

  const std::vector<Site> sites_;
  const TensorObserver observe_;
  const CallObserver observe_call_;
  at::Tensor replacement_;
  bool is_replaced_ = false;             // Whether the call that is left next was not made.
  std::vector<ObservedTensor> running_;  // The calls, the innermost last.
  std::map<std::pair<std::string, std::string>, int> calls_;
};

// The run on this thread.
thread_local Run* current = nullptr;

const c10::Symbol& EnterSymbol() {
  static const c10::Symbol symbol = c10::Symbol::fromQualString("modelport::enter");
  return symbol;
}

const c10::Symbol& LeaveSymbol() {
  static const c10::Symbol symbol = c10::Symbol::fromQualString("modelport::leave");
  return symbol;
}

const c10::Symbol& ReplaceSymbol() {
  static const c10::Symbol symbol = c10::Symbol::fromQualString("modelport::replace");
  return symbol;
}

// The operator in front of a call: passes the arguments on, and tells whether the call is to be made.
Operation EnterOperation(const Node* node) {
  return [site = static_cast<size_t>(node->i(c10::attr::value)), count = node->inputs().size()](Stack& stack) {
    const bool is_made = current->Enter(site, stack.data() + stack.size() - count, count);
    stack.emplace_back(is_made);
  };
}

// The operator in the place of a call that is not made.
Operation ReplaceOperation(const Node*) {
  return [](Stack& stack) { stack.emplace_back(current->Replacement()); };
}

// The operator behind a call: passes the result on.
Operation LeaveOperation(const Node*) {
  return [](Stack& stack) { current->Leave(stack.back()); };
}

// The operators have side effects to the optimiser, which thus neither removes nor reorders them.
void RegisterOperatorsOnce() {
  static const torch::jit::RegisterOperators registered({
      torch::jit::Operator(EnterSymbol(), EnterOperation, c10::AliasAnalysisKind::CONSERVATIVE),
      torch::jit::Operator(ReplaceSymbol(), ReplaceOperation, c10::AliasAnalysisKind::CONSERVATIVE),
      torch::jit::Operator(LeaveSymbol(), LeaveOperation, c10::AliasAnalysisKind::CONSERVATIVE),
  });
}

// The submodule's path if `value` was got from `self` by attributes alone.
std::optional<std::string> PathFrom(const Value* self, const Value* value) {
  if (value == self) return "";
  const Node* node = value->node();
  if (node->kind() != c10::prim::GetAttr) return std::nullopt;
  std::optional<std::string> parent = PathFrom(self, node->input());
  if (!parent) return std::nullopt;
  return JoinPath(*parent, node->s(c10::attr::name));
}

// Inlines all method calls of a graph and puts the operators around each.
class Instrumenter {
 public:
  explicit Instrumenter(Graph& graph) : graph_(graph) {}

  std::vector<Site> Run() && {
    Visit(graph_.block());
    return std::move(sites_);
  }

 private:
  void Visit(Block* block) {
    for (auto it = block->nodes().begin(); it != block->nodes().end();) {
      Node* node = *it;
      for (Block* inner : node->blocks()) Visit(inner);
      if (node->kind() != c10::prim::CallMethod || node->input(0)->type()->cast<c10::ClassType>() == nullptr) {
        ++it;
        continue;
      }
      Node* before = VisitCall(node);
      it = before->iterator();  // The inlined body is visited too: it may call other methods.
      ++it;
    }
  }

  // Returns the node in front of the inlined body.
  Node* VisitCall(Node* call) {
    const std::string method = call->s(c10::attr::name);
    Node* before = call->prev();
    if (std::optional<std::string> path = PathFrom(graph_.inputs()[0], call->input(0))) {
      const bool returns_tensor = call->output()->type()->kind() == c10::TypeKind::TensorType;
      Surround(call, {*std::move(path), method, returns_tensor});
      before = call->prev();
      if (returns_tensor) before = MakeConditional(call, before);
    }
    torch::jit::Function& callee = call->input(0)->type()->expectRef<c10::ClassType>().getMethod(method);
    torch::jit::GraphFunction& function = torch::jit::toGraphFunction(callee);
    // Its graph as written: the optimised one has its own calls inlined already.
    torch::jit::inlineCallTo(call, &function, function.graph().get());
    return before;
  }

  // Makes `call` depend on what `enter` tells. Returns the node in front of the condition.
  Node* MakeConditional(Node* call, Node* enter) {
    Node* condition = graph_.create(c10::prim::If, {enter->outputs().back()}, 1)->insertAfter(enter);
    condition->output()->setType(call->output()->type());
    call->output()->replaceAllUsesWith(condition->output());
    Block* made = condition->addBlock();
    call->moveBefore(made->return_node());
    made->registerOutput(call->output());
    Block* replaced = condition->addBlock();
    Node* replace = graph_.create(ReplaceSymbol(), 1)->insertBefore(replaced->return_node());
    replace->output()->setType(call->output()->type());
    replaced->registerOutput(replace->output());
    return enter;
  }

  void Surround(Node* call, Site site) {
    std::vector<Value*> arguments(call->inputs().begin() + 1, call->inputs().end());
    Node* enter = graph_.create(EnterSymbol(), arguments, arguments.size() + 1)->insertBefore(call);
    enter->i_(c10::attr::value, static_cast<int64_t>(sites_.size()));
    for (size_t i = 0; i < arguments.size(); ++i) {
      enter->output(i)->setType(arguments[i]->type());
      call->replaceInput(i + 1, enter->output(i));
    }
    enter->outputs().back()->setType(c10::BoolType::get());
    Node* leave = graph_.create(LeaveSymbol(), 1)->insertAfter(call);
    leave->output()->setType(call->output()->type());
    call->output()->replaceAllUsesWith(leave->output());
    leave->addInput(call->output());
    sites_.push_back(std::move(site));
  }

  Graph& graph_;
  std::vector<Site> sites_;
};

// Makes `run` the current one of this thread while it exists.
class CurrentRun {
 public:
  explicit CurrentRun(Run* run) : before_(std::exchange(current, run)) {}
  ~CurrentRun() { current = before_; }
  CurrentRun(const CurrentRun&) = delete;
  CurrentRun& operator=(const CurrentRun&) = delete;

 private:
  Run* const before_;
};

c10::IValue RunMethod(const torch::jit::Module& module, const torch::jit::Method& method,
                      const std::vector<c10::IValue>& inputs, TensorObserver observe, CallObserver observe_call) {
  RegisterOperatorsOnce();
  const std::shared_ptr<Graph> graph = method.graph()->copy();
  Run run(Instrumenter(*graph).Run(), observe, observe_call);
  Stack stack = {module._ivalue()};
  stack.insert(stack.end(), inputs.begin(), inputs.end());
  method.function().getSchema().checkAndNormalizeInputs(stack, {});
  const CurrentRun scope(&run);
  torch::jit::GraphExecutor(graph, method.name()).run(stack);
  run.ObserveResult(stack.back());
  return stack.back();
}

using Keeps = absl::FunctionRef<bool(absl::string_view path)>;
using Map = absl::FunctionRef<at::Tensor(const std::string& element, const at::Tensor& tensor)>;
using ObjectPtr = c10::intrusive_ptr<c10::ivalue::Object>;

c10::IValue MapBelow(const c10::IValue& value, const std::string& element, Map map) {
  if (value.isTensor()) return map(element, value.toTensor());
  if (value.isTuple()) {
    std::vector<c10::IValue> items = value.toTupleRef().elements().vec();
    for (size_t i = 0; i < items.size(); ++i) items[i] = MapBelow(items[i], JoinPath(element, absl::StrCat(i)), map);
    return c10::ivalue::Tuple::createNamed(std::move(items), value.toTuple()->type());
  }
  if (value.isList()) {
    c10::impl::GenericList list = value.toList().copy();
    for (size_t i = 0; i < list.size(); ++i) {
      list.set(i, MapBelow(list.get(i), JoinPath(element, absl::StrCat(i)), map));
    }
    return list;
  }
  if (value.isGenericDict() && value.toGenericDict().keyType()->kind() == c10::TypeKind::StringType) {
    const c10::impl::GenericDict from = value.toGenericDict();
    c10::impl::GenericDict dict = from.copy();
    for (const auto& entry : from) {
      dict.insert_or_assign(entry.key(), MapBelow(entry.value(), JoinPath(element, entry.key().toStringRef()), map));
    }
    return dict;
  }
  return value;
}

ObjectPtr CopyObject(const ObjectPtr& object, at::ScalarType type, const std::string& path, Keeps keeps) {
  ObjectPtr copy = object->copy();
  for (size_t i = 0; i < copy->slots().size(); ++i) {
    const c10::IValue value = copy->getSlot(i);
    if (value.isModule()) {
      const std::string inner = JoinPath(path, object->type()->getAttributeName(i));
      if (!keeps(inner)) copy->setSlot(i, CopyObject(value.toObject(), type, inner, keeps));
    } else if (value.isTensor() && value.toTensor().is_floating_point()) {
      copy->setSlot(i, value.toTensor().to(type));
    }
  }
  return copy;
}

}  // namespace

absl::StatusOr<c10::IValue> RunObserved(const torch::jit::Module& module, const std::string& method,
                                        const std::vector<c10::IValue>& inputs, TensorObserver observe) {
  return RunObserved(module, method, inputs, observe,
                     [](const Stage&, const std::vector<c10::IValue>&) { return at::Tensor(); });
}

absl::StatusOr<c10::IValue> RunObserved(const torch::jit::Module& module, const std::string& method,
                                        const std::vector<c10::IValue>& inputs, TensorObserver observe,
                                        CallObserver observe_call) {
  const auto found = module.find_method(method);
  if (!found) return absl::NotFoundError(absl::StrCat("no method ", method));
  // The graph runs once: to optimise it takes longer than it saves.
  const torch::jit::GraphOptimizerEnabledGuard optimiser_off(/*state=*/false);
  return CatchTorch([&] { return RunMethod(module, *found, inputs, observe, observe_call); });
}

const at::Tensor* FindTensor(const NamedTensors& tensors, const std::string& name) {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const auto& named) { return named.first == name; });
  return found == tensors.end() ? nullptr : &found->second;
}

absl::StatusOr<NamedTensors> CaptureTensors(const torch::jit::Module& module, const std::string& method,
                                            const std::vector<c10::IValue>& inputs,
                                            absl::FunctionRef<bool(const ObservedTensor& point)> wanted) {
  NamedTensors captured;
  RETURN_IF_ERROR(RunObserved(module, method, inputs, [&](const ObservedTensor& point, const at::Tensor& tensor) {
                    if (wanted(point)) captured.emplace_back(point.name, tensor.detach().clone());
                    return tensor;
                  }).status());
  return captured;
}

c10::IValue MapTensors(const c10::IValue& value, Map map) { return MapBelow(value, "", map); }

int64_t CountElements(const torch::jit::Module& module) {
  int64_t elements = 0;
  for (const at::Tensor& tensor : module.parameters()) elements += tensor.numel();
  for (const at::Tensor& tensor : module.buffers()) elements += tensor.numel();
  return elements;
}

torch::jit::Module TypedCopy(const torch::jit::Module& module, at::ScalarType type, Keeps keeps) {
  return torch::jit::Module(CopyObject(module._ivalue(), type, "", keeps));
}

std::vector<c10::IValue> TypedCopy(const std::vector<c10::IValue>& values, at::ScalarType type) {
  std::vector<c10::IValue> copies;
  for (const c10::IValue& value : values) {
    copies.push_back(MapTensors(value, [&](const std::string&, const at::Tensor& tensor) {
      return tensor.is_floating_point() ? tensor.to(type) : tensor;
    }));
  }
  return copies;
}

}  // namespace modelport
