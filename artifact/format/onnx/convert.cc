#include "artifact/format/onnx/convert.h"

#include <ATen/core/function_schema.h>
#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "artifact/format/onnx/aten_call.h"
#include "artifact/format/onnx/structure.h"
#include "common/status/status_macros.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/proof/check_entry_points.h"
#include "common/torchscript/script/torch_status.h"
#include "common/torchscript/weights/weights.h"

namespace modelport::onnx {
namespace {

using torch::jit::Block;
using torch::jit::Node;

// More steps of one loop are a mistake, and would take long.
constexpr int64_t kMaxSteps = 100000;

using Frame = std::map<const torch::jit::Value*, Value>;

// The value for LibTorch, if all of it is known.
absl::optional<c10::IValue> ToIValue(const Value& value, const c10::TypePtr& type, const Context& context) {
  if (const auto* const known = std::get_if<c10::IValue>(&value)) {
    const bool is_old = known->isTensor() && context.rewritten.count(MemoryOf(known->toTensor())) > 0;
    return is_old ? absl::nullopt : absl::make_optional(*known);
  }
  if (const auto* const number = std::get_if<Number>(&value)) {
    if (number->AsInt()) return c10::IValue(*number->AsInt());
    if (number->AsFloat()) return c10::IValue(*number->AsFloat());
    if (number->AsBool()) return c10::IValue(*number->AsBool());
    return absl::nullopt;
  }
  const auto* const list = std::get_if<std::shared_ptr<ValueList>>(&value);
  if (list == nullptr) return absl::nullopt;
  c10::TypePtr kind = type;
  if (const auto optional = kind->cast<c10::OptionalType>()) kind = optional->getElementType();
  std::vector<c10::IValue> items;
  const auto tuple = kind->cast<c10::TupleType>();
  const auto items_type = kind->cast<c10::ListType>();
  if (tuple == nullptr && items_type == nullptr) return absl::nullopt;
  for (size_t i = 0; i < (*list)->items.size(); ++i) {
    const c10::TypePtr item_type = tuple != nullptr ? tuple->elements()[i] : items_type->getElementType();
    const absl::optional<c10::IValue> item = ToIValue((*list)->items[i], item_type, context);
    if (!item) return absl::nullopt;
    items.push_back(*item);
  }
  if (tuple != nullptr) return c10::IValue(c10::ivalue::Tuple::create(std::move(items)));
  c10::impl::GenericList result(items_type->getElementType());
  for (const c10::IValue& item : items) result.push_back(item);
  return c10::IValue(result);
}

bool Raises(const Block& block) {
  return std::any_of(block.nodes().begin(), block.nodes().end(),
                     [](const Node* node) { return node->kind() == c10::prim::RaiseException; });
}

// One branch of a condition on sizes.
struct Branch {
  Graph::Scope code;
  int nodes = 0;
  std::vector<Value> outputs;
  Facts facts;                     // With what the condition says there.
  std::vector<TensorPtr> tensors;  // Those that are results.
};

// Both branches, and the tensors that are one or the other's.
struct Merging {
  Number condition;
  Branch then_branch = {}, else_branch = {};
  std::vector<TensorPtr> tensors = {};
  // The sizes that only the results tell: a tensor and its dimension.
  std::vector<std::pair<TensorPtr, size_t>> measured = {};
};

class Interpreter {
 public:
  explicit Interpreter(Context& context) : context_(context) {}

  absl::StatusOr<Value> RunFunction(torch::jit::Function& function, const std::vector<Value>& arguments);

  // Remembers the names of the tensors of `module`, and the paths of its modules.
  void NameWeights(const torch::jit::Module& module);

 private:
  absl::Status RunBlock(const Block& block, Frame& frame);
  absl::Status RunNode(const Node& node, Frame& frame);
  absl::Status RunIf(const Node& node, Frame& frame);
  absl::Status RunBranches(const Node& node, const Number& condition, Frame& frame);
  absl::Status RunLoop(const Node& node, Frame& frame);
  absl::StatusOr<std::vector<Value>> RunOperator(const Node& node, const std::vector<Value>& in);
  absl::StatusOr<std::vector<Value>> RunKnown(const Node& node, const std::vector<c10::IValue>& in);
  absl::StatusOr<Value> Merge(const Value& a, const Value& b, Merging& merging);
  absl::StatusOr<Value> MergeTensors(const TensorPtr& a, const TensorPtr& b, Merging& merging);
  absl::Status AddIf(Merging& merging);
  absl::Status AddWhere(const Branch& computed, Merging& merging);
  absl::StatusOr<TensorPtr> Target(const Node& node, const Value& value, const TensorPtr& now);
  absl::Status Write(const Node& node, const std::shared_ptr<Tensor>& target, const Value& value);
  absl::optional<Number> AsNumber(const Value& value) const { return onnx::AsNumber(value, context_); }

  Context& context_;
  std::map<const void*, std::string> paths_;  // Of modules, by their objects.
  int measured_ = 0;                          // How many sizes only results of conditions tell.
};

void Interpreter::NameWeights(const torch::jit::Module& module) {
  for (const auto& one : module.named_modules()) paths_[one.value._ivalue().get()] = one.name;
  for (const auto& parameter : module.named_parameters()) {
    context_.weights[parameter.value.unsafeGetTensorImpl()] = parameter.name;
    context_.weight_storages.insert(MemoryOf(parameter.value));
  }
  for (const auto& buffer : module.named_buffers()) {
    context_.weights[buffer.value.unsafeGetTensorImpl()] = buffer.name;
    context_.weight_storages.insert(MemoryOf(buffer.value));
  }
}

absl::StatusOr<Value> Interpreter::RunFunction(torch::jit::Function& function, const std::vector<Value>& arguments) {
  const auto graph = torch::jit::toGraphFunction(function).graph();
  Frame frame;
  for (size_t i = 0; i < graph->inputs().size(); ++i) frame[graph->inputs()[i]] = arguments[i];
  RETURN_IF_ERROR(RunBlock(*graph->block(), frame));
  return frame[graph->outputs()[0]];
}

absl::Status Interpreter::RunBlock(const Block& block, Frame& frame) {
  for (const Node* node : block.nodes()) RETURN_IF_ERROR(RunNode(*node, frame));
  return absl::OkStatus();
}

absl::Status Interpreter::RunNode(const Node& node, Frame& frame) {
  if (node.kind() == c10::prim::Constant) {
    frame[node.output()] = node.output()->type()->kind() == c10::TypeKind::FunctionType
                               ? Value(c10::IValue())
                               : FromIValue(*torch::jit::toIValue(node.output()), context_.graph.depth());
    return absl::OkStatus();
  }
  if (node.kind() == c10::prim::If) return RunIf(node, frame);
  if (node.kind() == c10::prim::Loop) return RunLoop(node, frame);
  if (node.kind() == c10::prim::RaiseException) return ErrorAt(node, "the code raises an error for every input");
  std::vector<Value> in;
  for (const torch::jit::Value* input : node.inputs()) in.push_back(frame[input]);
  std::vector<Value> out;
  if (node.kind() == c10::prim::CallMethod) {
    const auto* const self = std::get_if<c10::IValue>(&in[0]);
    const c10::ClassTypePtr type = node.inputs()[0]->type()->cast<c10::ClassType>();
    if (self == nullptr || type == nullptr) return ErrorAt(node, "calls a method of no object");
    const std::string scope = context_.scope;
    const auto path = paths_.find(self->toObject().get());
    if (path != paths_.end()) context_.scope = path->second;
    ASSIGN_OR_RETURN(Value result, RunFunction(type->getMethod(node.s(c10::attr::name)), in));
    context_.scope = scope;
    out = {std::move(result)};
  } else if (node.kind() == c10::prim::CallFunction) {
    const auto type = node.inputs()[0]->type()->expect<c10::FunctionType>();
    ASSIGN_OR_RETURN(Value result, RunFunction(*type->function(), std::vector<Value>(in.begin() + 1, in.end())));
    out = {std::move(result)};
  } else {
    ASSIGN_OR_RETURN(absl::optional<std::vector<Value>> structure, RunStructure(node, in, context_));
    if (structure) {
      out = *std::move(structure);
    } else {
      ASSIGN_OR_RETURN(out, RunOperator(node, in));
    }
  }
  if (out.size() < node.outputs().size())
    return ErrorAt(node, absl::StrCat(node.kind().toQualString(), " is not known"));
  for (size_t i = 0; i < node.outputs().size(); ++i) frame[node.outputs()[i]] = std::move(out[i]);
  return absl::OkStatus();
}

absl::Status Interpreter::RunIf(const Node& node, Frame& frame) {
  const absl::optional<Number> condition = AsNumber(frame[node.input()]);
  if (!condition) return ErrorAt(node, "a condition on the elements of a tensor");
  const Block& then_block = *node.blocks()[0];
  const Block& else_block = *node.blocks()[1];
  const Block* chosen = nullptr;
  if (condition->AsBool()) {
    chosen = *condition->AsBool() ? &then_block : &else_block;
  } else if (Raises(then_block)) {
    context_.facts.Assume(Not(*condition));
    chosen = &else_block;
  } else if (Raises(else_block)) {
    context_.facts.Assume(*condition);
    chosen = &then_block;
  }
  if (chosen == nullptr) return RunBranches(node, *condition, frame);
  RETURN_IF_ERROR(RunBlock(*chosen, frame));
  for (size_t i = 0; i < node.outputs().size(); ++i) frame[node.outputs()[i]] = frame[chosen->outputs()[i]];
  return absl::OkStatus();
}

absl::StatusOr<Value> Interpreter::MergeTensors(const TensorPtr& a, const TensorPtr& b, Merging& merging) {
  if (a == b) return a;
  if (a->type != b->type || a->shape.size() != b->shape.size()) {
    return absl::UnimplementedError("a condition on sizes whose branches give tensors of other kinds");
  }
  auto result = std::make_shared<Tensor>();
  result->type = a->type;
  result->depth = kUnchangeable;  // What is written to it would be written to one of both.
  result->chosen_of = {a, b};
  for (size_t i = 0; i < a->shape.size(); ++i) {
    const Facts& then_facts = merging.then_branch.facts;
    const Facts& else_facts = merging.else_branch.facts;
    // A size of one branch that is also the other's, by what is known there.
    if (then_facts.Apply(b->shape[i]) == then_facts.Apply(a->shape[i])) {
      result->shape.push_back(b->shape[i]);
    } else if (else_facts.Apply(a->shape[i]) == else_facts.Apply(b->shape[i])) {
      result->shape.push_back(a->shape[i]);
    } else {
      result->shape.push_back(Number::Symbol(absl::StrCat("n", ++measured_)));
      merging.measured.emplace_back(result, i);
    }
  }
  merging.then_branch.tensors.push_back(a);
  merging.else_branch.tensors.push_back(b);
  merging.tensors.push_back(result);
  return result;
}

absl::StatusOr<Value> Interpreter::Merge(const Value& a, const Value& b, Merging& merging) {
  const absl::optional<Number> number_a = AsNumber(a), number_b = AsNumber(b);
  if (number_a && number_b) return FromNumber(Where(merging.condition, *number_a, *number_b));
  AtenCall op("if", {a, b}, context_);
  if (op.IsTensor(0) && op.IsTensor(1)) {
    const TensorPtr tensor_a = op.In(0), tensor_b = op.In(1);
    RETURN_IF_ERROR(op.status());
    for (const Value* const value : {&a, &b}) {
      if (const auto* const known = std::get_if<c10::IValue>(value)) NoteView(known->toTensor(), context_);
    }
    return MergeTensors(tensor_a, tensor_b, merging);
  }
  const auto* const list_a = std::get_if<std::shared_ptr<ValueList>>(&a);
  const auto* const list_b = std::get_if<std::shared_ptr<ValueList>>(&b);
  if (list_a != nullptr && list_b != nullptr && (*list_a)->items.size() == (*list_b)->items.size()) {
    auto list = std::make_shared<ValueList>();
    list->depth = context_.graph.depth();
    for (size_t i = 0; i < (*list_a)->items.size(); ++i) {
      ASSIGN_OR_RETURN(Value item, Merge((*list_a)->items[i], (*list_b)->items[i], merging));
      list->items.push_back(std::move(item));
    }
    return list;
  }
  const auto* const known_a = std::get_if<c10::IValue>(&a);
  const auto* const known_b = std::get_if<c10::IValue>(&b);
  if (known_a != nullptr && known_b != nullptr && *known_a == *known_b) return a;
  return absl::UnimplementedError("a condition on sizes whose branches give values of other kinds");
}

absl::Status Interpreter::RunBranches(const Node& node, const Number& condition, Frame& frame) {
  const Facts before = context_.facts;
  Merging merging{.condition = condition};
  for (const bool holds : {true, false}) {
    Branch& branch = holds ? merging.then_branch : merging.else_branch;
    const Block& block = *node.blocks()[holds ? 0 : 1];
    context_.facts = before;
    context_.facts.Assume(holds ? condition : Not(condition));
    context_.graph.BeginBranch();
    RETURN_IF_ERROR(RunBlock(block, frame));
    for (const torch::jit::Value* output : block.outputs()) branch.outputs.push_back(frame[output]);
    branch.facts = context_.facts;
    branch.nodes = context_.graph.nodes();
    branch.code = context_.graph.EndBranch(holds ? "then" : "else");
  }
  context_.facts = before;
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    const absl::StatusOr<Value> value = Merge(merging.then_branch.outputs[i], merging.else_branch.outputs[i], merging);
    if (!value.ok()) return ErrorAt(node, value.status().message());
    frame[node.outputs()[i]] = *value;
  }
  // Nodes for numbers alone are made again where these are wanted.
  if (merging.tensors.empty()) return absl::OkStatus();
  if (merging.measured.empty()) {
    // A branch that computes nothing costs nothing, and the other one may be computed always if its nodes rely on
    // nothing that the condition says: one graph, which runtimes optimise better than an If.
    const Branch& then_branch = merging.then_branch;
    const Branch& else_branch = merging.else_branch;
    const auto holds_always = [&](const Branch& branch) {
      return branch.facts.size() == before.size() && !branch.code.may_fail;
    };
    if (then_branch.nodes == 0 && holds_always(else_branch)) return AddWhere(else_branch, merging);
    if (else_branch.nodes == 0 && holds_always(then_branch)) return AddWhere(then_branch, merging);
  }
  if (merging.then_branch.code.may_fail || merging.else_branch.code.may_fail) context_.graph.NoteMayFail();
  return AddIf(merging);
}

// `tensor` with this shape, where the condition that it is for holds; else some of its elements in that shape.
TensorPtr OfShape(AtenCall& op, TensorPtr tensor, const Shape& shape) {
  for (size_t i = 0; i < shape.size(); ++i) {
    Shape now = op.ShapeOf(tensor);
    if (now[i] == shape[i]) continue;
    const TensorPtr last = op.NumberAs(now[i] - Number(int64_t{1}), at::kLong);
    const TensorPtr places = op.Binary("Min", op.Range(shape[i], at::kLong), last);
    now[i] = shape[i];
    tensor = op.Make("Gather", {tensor, places}, tensor->type, now, {Attribute("axis", static_cast<int64_t>(i))});
  }
  return tensor;
}

absl::Status Interpreter::AddWhere(const Branch& computed, Merging& merging) {
  context_.graph.AddNodes(computed.code);
  AtenCall op("if", {}, context_);
  const TensorPtr flag = op.NumberAs(merging.condition, at::kBool);  // Of shape [1].
  for (size_t i = 0; i < merging.tensors.size(); ++i) {
    Tensor& result = *merging.tensors[i];
    const TensorPtr condition = result.shape.empty() ? op.Make("Squeeze", {flag}, at::kBool, {}) : flag;
    const TensorPtr a = OfShape(op, merging.then_branch.tensors[i], op.ShapeOf(merging.tensors[i]));
    const TensorPtr b = OfShape(op, merging.else_branch.tensors[i], op.ShapeOf(merging.tensors[i]));
    result.name = op.Make("Where", {condition, a, b}, result.type, result.shape)->name;
  }
  return op.status();
}

absl::Status Interpreter::AddIf(Merging& merging) {
  AtenCall op("if", {}, context_);
  for (Branch* const branch : {&merging.then_branch, &merging.else_branch}) {
    for (size_t i = 0; i < merging.tensors.size(); ++i) {
      // A branch's results are nodes of its own.
      const std::string name = op.Name(branch->tensors[i]);
      onnx_file::NodeProto& copy = *branch->code.graph.add_node();
      copy.set_op_type("Identity");
      copy.add_input(name);
      copy.set_name(context_.graph.UniqueName(absl::StrCat(name, "/result")));
      copy.add_output(copy.name());
      *branch->code.graph.add_output() = ValueInfo(copy.name(), merging.tensors[i]->type, merging.tensors[i]->shape);
    }
  }
  Attributes attributes(2);
  attributes[0].set_name("then_branch");
  *attributes[0].mutable_g() = std::move(merging.then_branch.code.graph);
  attributes[1].set_name("else_branch");
  *attributes[1].mutable_g() = std::move(merging.else_branch.code.graph);
  for (auto& attribute : attributes) attribute.set_type(onnx_file::AttributeProto::GRAPH);
  const std::vector<std::string> names = context_.graph.Add("If", {NameOf(merging.condition, context_)}, attributes,
                                                            context_.scope, static_cast<int>(merging.tensors.size()));
  for (size_t i = 0; i < merging.tensors.size(); ++i) {
    merging.tensors[i]->name = names[i];
  }
  for (const auto& [tensor, axis] : merging.measured) {
    context_.symbols[tensor->shape[axis].text()] = {tensor->name, static_cast<int64_t>(axis)};
  }
  return op.status();
}

absl::Status Interpreter::RunLoop(const Node& node, Frame& frame) {
  const Block& body = *node.blocks()[0];
  const absl::optional<Number> most = AsNumber(frame[node.inputs()[0]]);
  absl::optional<Number> goes_on = AsNumber(frame[node.inputs()[1]]);
  std::vector<Value> carried;
  for (size_t i = 2; i < node.inputs().size(); ++i) carried.push_back(frame[node.inputs()[i]]);
  if (!most || !most->AsInt())
    return ErrorAt(node, "a loop whose number of steps depends on the input's size; --sizes fixes it");
  const int64_t limit = *most->AsInt();
  for (int64_t step = 0; step < limit; ++step) {
    if (!goes_on || !goes_on->AsBool()) return ErrorAt(node, "a loop that ends by a condition on the input");
    if (!*goes_on->AsBool()) break;
    if (step >= kMaxSteps) return ErrorAt(node, absl::StrCat("a loop of more than ", kMaxSteps, " steps"));
    frame[body.inputs()[0]] = c10::IValue(step);
    for (size_t i = 0; i < carried.size(); ++i) frame[body.inputs()[i + 1]] = carried[i];
    RETURN_IF_ERROR(RunBlock(body, frame));
    goes_on = AsNumber(frame[body.outputs()[0]]);
    for (size_t i = 0; i < carried.size(); ++i) carried[i] = frame[body.outputs()[i + 1]];
  }
  for (size_t i = 0; i < carried.size(); ++i) frame[node.outputs()[i]] = carried[i];
  return absl::OkStatus();
}

// Of the arguments an operator may write into the first alone: not into one called "out".
absl::Status CheckWritesFirst(const Node& node) {
  const auto* const schema = node.maybeSchema();
  for (size_t i = 1; schema != nullptr && i < schema->arguments().size(); ++i) {
    const auto* const alias = schema->arguments()[i].alias_info();
    if (alias == nullptr || !alias->isWrite()) continue;
    return ErrorAt(node, absl::StrCat(schema->name(), " writes into its argument ", schema->arguments()[i].name()));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Value>> Interpreter::RunKnown(const Node& node, const std::vector<c10::IValue>& in) {
  const auto* const schema = node.maybeSchema();
  if (schema == nullptr) return ErrorAt(node, absl::StrCat(node.kind().toQualString(), " is not known"));
  if (schema->is_mutable()) {
    // Lists and dictionaries are copied for LibTorch, and what only one branch changes would be changed for both.
    if (in.empty() || !in[0].isTensor()) return ErrorAt(node, absl::StrCat(schema->name(), " has no form here"));
    RETURN_IF_ERROR(CheckWritesFirst(node));
    if (context_.graph.depth() > 0) return ErrorAt(node, "writes into a tensor below a condition on sizes");
    if (context_.weight_storages.count(MemoryOf(in[0].toTensor())) > 0) {
      return ErrorAt(node, absl::StrCat(schema->name(), " writes into a weight"));
    }
    if (context_.taken.count(MemoryOf(in[0].toTensor())) > 0) {
      return ErrorAt(node, "writes into a constant that was used before; write into a copy");
    }
  }
  torch::jit::Stack stack(in.begin(), in.end());
  if (schema->is_vararg()) stack.emplace_back(static_cast<int64_t>(in.size()));
  const absl::Status run = CatchTorch([&] { node.getOperation()(stack); });
  if (!run.ok()) return ErrorAt(node, run.message());
  std::vector<Value> out;
  for (const c10::IValue& value : stack) out.push_back(FromIValue(value, context_.graph.depth()));
  return out;
}

// The tensor that code writes into, `value`. `now` is what it is: a constant becomes a tensor of the graph.
absl::StatusOr<TensorPtr> Interpreter::Target(const Node& node, const Value& value, const TensorPtr& now) {
  const auto* const known = std::get_if<c10::IValue>(&value);
  if (known == nullptr || !known->isTensor()) return now;
  const at::Tensor& constant = known->toTensor();
  if (context_.weight_storages.count(MemoryOf(constant)) > 0) return ErrorAt(node, "writes into a weight");
  if (context_.graph.depth() > 0) return ErrorAt(node, "writes into a tensor below a condition on sizes");
  if (context_.viewed.count(MemoryOf(constant)) > 0) {
    return ErrorAt(node, "writes into a constant of which there is a view; write into a copy");
  }
  context_.rewritten.try_emplace(MemoryOf(constant), constant, now);
  return now;
}

// Lets a tensor that code writes into be what `value` is.
absl::Status Interpreter::Write(const Node& node, const std::shared_ptr<Tensor>& target, const Value& value) {
  const auto* const result = std::get_if<std::shared_ptr<Tensor>>(&value);
  if (result == nullptr) return ErrorAt(node, "writes into a tensor what is none");
  if (target->depth != context_.graph.depth()) {
    return ErrorAt(node, "writes into a tensor that a condition on sizes chose, or below one; write into a copy");
  }
  AtenCall op(node.kind().toQualString(), {}, context_);
  const TensorPtr written = op.Cast(*result, target->type);
  if (written->shape.size() != target->shape.size())
    return ErrorAt(node, "writes into a tensor one of other dimensions");
  target->name = op.Name(written);
  target->constant = at::Tensor();
  const int before = *target->writes;
  ++*target->writes;
  target->seen = *target->writes;
  // The tensors of which it is a part have the new elements, too; other views of them do not.
  for (TensorPtr part = target; part->part != nullptr; part = part->part->whole) {
    const TensorPtr whole = part->part->whole;
    if (whole->seen != before) return ErrorAt(node, "writes into a view of a tensor that another view has changed");
    whole->seen = *whole->writes;
    whole->name = op.Name(op.PutBack(part));
    whole->constant = at::Tensor();
  }
  RETURN_IF_ERROR(op.status());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Value>> Interpreter::RunOperator(const Node& node, const std::vector<Value>& in) {
  const std::string name = node.kind().toQualString();
  // Numbers alone.
  std::vector<Number> numbers;
  bool is_known = true;
  for (const Value& value : in) {
    if (const absl::optional<Number> number = AsNumber(value)) numbers.push_back(*number);
    if (std::get_if<Number>(&value) != nullptr) is_known = false;
  }
  if (!is_known && numbers.size() == in.size()) {
    // Python's max and min of ints and floats have other names for each kind.
    if (const absl::optional<Number> result = NumberRow(name, numbers)) return std::vector<Value>{FromNumber(*result)};
    if (name == "aten::__range_length") {
      if (!numbers[2].AsInt()) return ErrorAt(node, "a range whose step depends on the input's size");
      const Number length = StepsOf(numbers[0], numbers[1], *numbers[2].AsInt());
      return std::vector<Value>{FromNumber(Max(length, Number(int64_t{0})))};
    }
    if (name == "aten::__derive_index") {
      return std::vector<Value>{FromNumber(numbers[1] + numbers[0] * numbers[2])};
    }
    return ErrorAt(node, absl::StrCat(name, " of numbers that depend on the input's size has no row"));
  }
  std::vector<c10::IValue> known;
  for (size_t i = 0; i < in.size(); ++i) {
    const absl::optional<c10::IValue> value = ToIValue(in[i], node.inputs()[i]->type(), context_);
    if (!value) break;
    known.push_back(*value);
  }
  if (known.size() == in.size()) return RunKnown(node, known);
  const bool writes = absl::EndsWith(name, "_") && !absl::EndsWith(name, "__");
  const Row* const row = FindRow(writes ? name.substr(0, name.size() - 1) : name);
  if (row == nullptr) {
    return ErrorAt(node, absl::StrCat(name,
                                      " has no ONNX form here: add a row to artifact/format/onnx, or write the "
                                      "code with operators that have one; where it depends on a size, --sizes may make "
                                      "it a constant"));
  }
  RETURN_IF_ERROR(CheckWritesFirst(node));
  // A view has another shape than what it is of, which code may have in other variables. A copy would have its own.
  const bool is_same = name == "aten::dropout_" || name == "aten::detach_";
  if (writes && row->is_view && !is_same) return ErrorAt(node, absl::StrCat(name, " changes the shape of a tensor"));
  std::vector<Value> arguments = in;
  AtenCall op(name, std::move(arguments), context_);
  Value result = row->make(op);
  if (!op.status().ok()) return ErrorAt(node, op.status().message());
  if (writes) {
    ASSIGN_OR_RETURN(const TensorPtr target, Target(node, in[0], op.In(0)));
    RETURN_IF_ERROR(Write(node, target, result));
    return std::vector<Value>{target};
  }
  if (row->is_view) {
    const auto* const known_base = std::get_if<c10::IValue>(&in[0]);
    const bool is_of_constant = known_base != nullptr && known_base->isTensor() &&
                                context_.rewritten.count(MemoryOf(known_base->toTensor())) == 0;
    if (is_of_constant) NoteView(known_base->toTensor(), context_);
    const TensorPtr base = is_of_constant || !op.IsTensor(0) ? nullptr : op.In(0);
    const auto share = [&](Value& value) {
      const auto* const view = std::get_if<std::shared_ptr<Tensor>>(&value);
      if (view == nullptr || (base == nullptr && !is_of_constant)) return;
      auto shared = std::make_shared<Tensor>(**view);
      if (base == nullptr) {
        shared->depth = kUnchangeable;  // What is written to it would be written to the constant.
      } else {
        shared->writes = base->writes;
        shared->seen = base->seen;
        shared->chosen_of = base->chosen_of;
        if (base->depth == kUnchangeable) shared->depth = kUnchangeable;
        // A view of a part may be a copy in LibTorch, so that only the part itself is known to write into the whole.
        if (shared->part != nullptr && shared->part->whole != base) shared->part = nullptr;
      }
      value = std::move(shared);
    };
    share(result);
    if (const auto* const list = std::get_if<std::shared_ptr<ValueList>>(&result)) {
      for (Value& item : (*list)->items) share(item);
    }
  }
  // A result that is an argument as it is, and no view of it, is a copy.
  if (const auto* const same = std::get_if<std::shared_ptr<Tensor>>(&result); same != nullptr && !row->is_view) {
    auto copy = std::make_shared<Tensor>(**same);
    copy->name = op.Name(*same);
    copy->writes = std::make_shared<int>(0);
    copy->seen = 0;
    copy->part = nullptr;
    result = std::move(copy);
    if (!op.status().ok()) return ErrorAt(node, op.status().message());
  }
  // Operators with several results give a tuple.
  if (node.outputs().size() > 1) {
    const auto* const tuple = std::get_if<std::shared_ptr<ValueList>>(&result);
    if (tuple != nullptr) return (*tuple)->items;
  }
  return std::vector<Value>{std::move(result)};
}

// The size that an entry point states: a number, or a letter, which stays free unless `sizes` has it, or so many times
// a letter of the inputs before. Any other expression is a size of its own.
Number StatedSize(const Expression& size, const std::map<std::string, int64_t>& sizes, const Context& context) {
  Scope scope;
  for (const auto& [letter, value] : sizes) scope[letter] = value;
  if (const absl::StatusOr<int64_t> value = size.EvaluateInt(scope); value.ok()) return Number(*value);
  const std::vector<std::string> factors = absl::StrSplit(size.text(), absl::MaxSplits(" * ", 1));
  int64_t times = 0;
  if (factors.size() == 2 && absl::SimpleAtoi(factors[0], &times) && context.symbols.count(factors[1]) > 0) {
    return Number(times) * Number::Symbol(factors[1]);
  }
  return Number::Symbol(size.text());
}

absl::Status CheckLetters(const EntryPoint& entry_point, const std::map<std::string, int64_t>& sizes) {
  const std::set<std::string> letters = InputSymbols(entry_point);
  for (const auto& [letter, value] : sizes) {
    if (letters.count(letter) > 0) continue;
    return absl::InvalidArgumentError(absl::StrCat("--sizes: no input of ", entry_point.method, " has a size ", letter,
                                                   "; they have ", absl::StrJoin(letters, ", ")));
  }
  return absl::OkStatus();
}

// A value of a result, and the port that says what it is. `item` is its place in a tuple.
struct Output {
  const Port* port;
  Value value;
  int item = -1;
};

// The parts of a result of `type`, by the ports' order; those that it lacks are left out.
absl::StatusOr<std::vector<Output>> OutputsOf(const EntryPoint& entry_point, const c10::Type& type,
                                              const Value& result) {
  std::vector<Output> outputs;
  if (const auto* const dict = std::get_if<std::shared_ptr<ValueDict>>(&result)) {
    for (const Port& port : entry_point.outputs) {
      for (const auto& [key, value] : (*dict)->items) {
        if (key == port.name) outputs.push_back({&port, value});
      }
    }
    return outputs;
  }
  const auto* const tuple = std::get_if<std::shared_ptr<ValueList>>(&result);
  if (tuple == nullptr) {
    if (!entry_point.outputs.empty()) outputs.push_back({&entry_point.outputs[0], result});
    return outputs;
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> places, OutputPlaces(entry_point, type));
  for (size_t i = 0; i < places.size(); ++i) {
    absl::string_view place = places[i];
    int item = 0;
    if (!absl::ConsumePrefix(&place, "result[") || !absl::ConsumeSuffix(&place, "]") ||
        !absl::SimpleAtoi(place, &item) || item < 0 || item >= static_cast<int>((*tuple)->items.size())) {
      return absl::UnimplementedError(
          absl::StrCat(entry_point.place, ": ", places[i], " is no output of an ONNX file, which are tensors"));
    }
    outputs.push_back({&entry_point.outputs[i], (*tuple)->items[item], item});
  }
  return outputs;
}

// An input of the graph, and the argument that it is.
struct GraphInput {
  std::string name, help;
  at::ScalarType type = at::kLong;
  Shape shape = {};
  Value argument = c10::IValue();
};

// The type of the module's weights, which inputs have that state none.
at::ScalarType WeightsType(const torch::jit::Module& module) {
  for (const auto& parameter : module.parameters()) return parameter.scalar_type();
  return at::kFloat;
}

// The input that `argument` is, which `port` describes, if the entry point has one.
absl::StatusOr<GraphInput> MakeInput(const c10::Argument& argument, const Port* port, const EntryPoint& entry_point,
                                     const std::map<std::string, int64_t>& sizes, at::ScalarType weights_type,
                                     Context& context) {
  GraphInput input = {.name = context.graph.UniqueName(argument.name()), .help = port == nullptr ? "" : port->help};
  if (argument.type()->kind() == c10::TypeKind::IntType) {
    if (argument.name().size() == 1) {
      return absl::UnimplementedError(absl::StrCat(entry_point.place, ": argument ", argument.name(), " of ",
                                                   entry_point.method,
                                                   ": a number of one letter would be taken for a size; give it a "
                                                   "longer name"));
    }
    // A number is a tensor of one element, which is what numbers are in the graph.
    const Number symbol = Number::Argument(input.name);
    context.graph.Remember(symbol.text(), input.name);
    input.shape = {Number(int64_t{1})};
    input.argument = symbol;
    return input;
  }
  if (argument.type()->kind() != c10::TypeKind::TensorType || port == nullptr || !port->shape) {
    return absl::UnimplementedError(absl::StrCat(entry_point.place, ": argument ", argument.name(), " of ",
                                                 entry_point.method, " is ", argument.type()->annotation_str(),
                                                 ": an ONNX file takes tensors of stated shapes and integers"));
  }
  const absl::optional<DType> dtype = ParseDType(port->dtype);
  if (!dtype && !port->dtype.empty()) {
    return absl::UnimplementedError(absl::StrCat(port->place, ": no ONNX input of ", port->dtype));
  }
  auto tensor = std::make_shared<Tensor>();
  tensor->name = input.name;
  const at::ScalarType wanted = dtype ? ToScalarType(*dtype) : weights_type;
  tensor->type = input.type = wanted == at::kHalf ? at::kFloat : wanted;
  for (size_t axis = 0; axis < port->shape->size(); ++axis) {
    const Number size = StatedSize((*port->shape)[axis], sizes, context);
    tensor->shape.push_back(size);
    if (size.AsInt() || size.terms().begin()->second != 1) continue;
    context.symbols.try_emplace(size.text(), input.name, static_cast<int64_t>(axis));
    context.facts.Keep(size.text());
  }
  input.shape = tensor->shape;
  AtenCall op(entry_point.method, {}, context);
  input.argument = op.Cast(tensor, wanted);
  RETURN_IF_ERROR(op.status());
  return input;
}

// Names what the method gives as outputs of the graph, whose descriptions are added to `infos`.
absl::StatusOr<std::vector<ConvertedPort>> AddOutputs(const EntryPoint& entry_point, const std::vector<Output>& outputs,
                                                      std::vector<onnx_file::ValueInfoProto>& infos, Context& context) {
  std::vector<ConvertedPort> added;
  for (const auto& [port, value, item] : outputs) {
    AtenCall op(entry_point.method, {value}, context);
    if (op.IsNone(0)) continue;  // An output that this variant lacks, as an empty tensor is.
    const TensorPtr tensor = op.Wide(op.In(0));
    RETURN_IF_ERROR(op.status());
    if (tensor->constant.defined() && tensor->constant.numel() == 0) continue;
    const std::string name = context.graph.UniqueName(port->name);
    context.graph.NameOutput(op.Name(tensor), name);
    RETURN_IF_ERROR(op.status());
    infos.push_back(ValueInfo(name, tensor->type, op.ShapeOf(tensor)));
    infos.back().set_doc_string(port->help);
    added.push_back({.name = name, .key = port->name, .place = item});
  }
  if (!added.empty()) return added;
  return absl::UnimplementedError(
      absl::StrCat(entry_point.place, ": ", entry_point.method, " has no output that is a tensor"));
}

absl::StatusOr<ConvertedModel> ConvertUnguarded(const torch::jit::Module& module, const EntryPoint& entry_point,
                                                const std::map<std::string, int64_t>& sizes, int opset) {
  Context context;
  context.opset = opset;
  Interpreter interpreter(context);
  interpreter.NameWeights(module);
  torch::jit::Function& function = module.get_method(entry_point.method).function();
  const c10::FunctionSchema& schema = function.getSchema();
  std::vector<Value> arguments = {c10::IValue(module._ivalue())};
  ConvertedModel converted;
  std::vector<GraphInput> inputs;
  for (size_t i = 1; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    if (argument.default_value().has_value()) {
      arguments.push_back(FromIValue(*argument.default_value(), 0));
      continue;
    }
    ASSIGN_OR_RETURN(GraphInput input, MakeInput(argument, FindPort(entry_point.inputs, argument.name()), entry_point,
                                                 sizes, WeightsType(module), context));
    arguments.push_back(input.argument);
    converted.inputs.push_back({.name = input.name, .place = static_cast<int>(i - 1)});
    inputs.push_back(std::move(input));
  }
  ASSIGN_OR_RETURN(const Value result, interpreter.RunFunction(function, arguments));
  ASSIGN_OR_RETURN(const std::vector<Output> outputs, OutputsOf(entry_point, *schema.returns()[0].type(), result));
  std::vector<onnx_file::ValueInfoProto> infos;
  ASSIGN_OR_RETURN(converted.outputs, AddOutputs(entry_point, outputs, infos, context));
  std::vector<std::string> names;
  for (const ConvertedPort& output : converted.outputs) names.push_back(output.name);
  converted.model = context.graph.Take(names);
  for (size_t i = 0; i < inputs.size(); ++i) {
    // With what the code said of its sizes.
    Shape& shape = converted.inputs[i].shape;
    for (const Number& size : inputs[i].shape) shape.push_back(context.facts.Apply(size));
    onnx_file::ValueInfoProto& info = *converted.model.graph.add_input();
    info = ValueInfo(inputs[i].name, inputs[i].type, shape);
    if (!inputs[i].help.empty()) info.set_doc_string(inputs[i].help);
  }
  for (onnx_file::ValueInfoProto& info : infos) *converted.model.graph.add_output() = std::move(info);
  return converted;
}

}  // namespace

absl::StatusOr<ConvertedModel> Convert(const torch::jit::Module& module, const EntryPoint& entry_point,
                                       const std::map<std::string, int64_t>& sizes, int opset) {
  RETURN_IF_ERROR(CheckLetters(entry_point, sizes));
  absl::StatusOr<absl::StatusOr<ConvertedModel>> converted =
      CatchTorch([&] { return ConvertUnguarded(module, entry_point, sizes, opset); });
  RETURN_IF_ERROR(converted.status());
  return *std::move(converted);
}

}  // namespace modelport::onnx
