#include "common/torchscript/lint/trace.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/class_type.h>
#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/constants.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/status/status_macros.h"
#include "common/text/dotted_path.h"
#include "common/torchscript/lint/fact.h"
#include "common/torchscript/lint/operator_kinds.h"
#include "common/torchscript/script/torch_status.h"

namespace modelport {
namespace {

namespace aten = torch::jit::aten;
namespace prim = torch::jit::prim;
using c10::TypePtr;
using torch::jit::Node;

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
    const Extents extents = ResultExtents(step_);
    for (size_t i = 0; i < step_.node->outputs().size(); ++i) {
      outputs.push_back(i < schema.returns().size() ? Output(schema.returns()[i], result) : Fact());
      outputs.back().extents = extents;
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

bool IsRegistered(const c10::ClassType& type, size_t slot) { return type.is_parameter(slot) || type.is_buffer(slot); }

// True for a parameter or buffer of `owner`, which hosts convert in place.
bool IsWeight(const c10::ivalue::Object& owner, const at::Tensor& tensor) {
  for (size_t slot = 0; slot < owner.slots().size(); ++slot) {
    const c10::IValue& other = owner.getSlot(slot);
    if (IsRegistered(*owner.type(), slot) && other.isTensor() && other.toTensor().is_same(tensor)) return true;
  }
  return false;
}

// The fact of a weight of `owner`, or of a list of its weights, such as an LSTM has; nullopt for anything else.
absl::optional<Fact> WeightFact(const c10::ivalue::Object& owner, const c10::IValue& value) {
  Fact fact;
  for (const at::Tensor& tensor : HeldTensors(value)) {
    if (!IsWeight(owner, tensor)) return absl::nullopt;
    fact.extents = FixedExtents(tensor);
    fact.device.model = true;
    fact.dtype.model |= tensor.is_floating_point();
  }
  return fact.device.model ? absl::make_optional(fact) : absl::nullopt;
}

FixedOptionPtr WithValue(FixedOption option, std::string value, bool is_device) {
  option.value = std::move(value);
  option.is_device = is_device;
  return std::make_shared<FixedOption>(std::move(option));
}

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

std::vector<Fact> OutputFacts(const Step& step, std::vector<FixedOptionPtr>& fixed_options) {
  return OperatorFacts(step, fixed_options).Outputs();
}

Fact HeldTensorsFact(const c10::IValue& value, const FixedOption& place) {
  Fact fact;
  for (const at::Tensor& tensor : HeldTensors(value)) {
    // Operators combine tensors without dimensions with any dtype and device.
    if (tensor.dim() == 0) continue;
    fact.extents = FixedExtents(tensor);
    fact.device.fixed = WithValue(place, tensor.device().str(), /*is_device=*/true);
    if (tensor.is_floating_point()) {
      const auto dtype = c10::getDtypeNames(tensor.scalar_type()).first;
      fact.dtype.fixed = WithValue(place, std::string(dtype), /*is_device=*/false);
    }
  }
  return fact;
}

Fact AttributeFact(const c10::ivalue::Object& owner, const std::string& path, const std::string& name) {
  const c10::IValue& value = owner.getAttr(name);
  if (value.isModule()) {
    Fact module;
    module.value = value;
    module.path = JoinPath(path, name);
    return module;
  }
  if (const absl::optional<Fact> weight = WeightFact(owner, value)) return *weight;
  Fact fact = HeldTensorsFact(value, {.kind = FixedOption::Kind::kAttribute, .call = name, .module = path});
  // A host may change attributes of all other types, so their values are not known.
  if (value.isInt() || value.isDevice()) fact.value = value;
  fact.extents.first = fact.extents.rest = Extent::kFixed;
  return fact;
}

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

std::vector<at::Tensor> HeldTensors(const c10::IValue& value) {
  std::vector<at::Tensor> tensors;
  absl::flat_hash_set<const void*> seen;
  // If the visitor returns true, the visit skips the contents of the value.
  value.visit([&](const c10::IValue& held) {
    if (!held.isPtrType()) return false;
    if (!seen.insert(held.internalToPointer()).second) return true;
    if (held.isTensor() && held.toTensor().defined()) tensors.push_back(held.toTensor());
    return false;
  });
  return tensors;
}

absl::StatusOr<Trace> TraceForward(const torch::jit::Module& module) {
  Tracer tracer;
  RETURN_IF_ERROR(CatchTorch([&] { tracer.Follow(module); }));
  return std::move(tracer).Take();
}

}  // namespace modelport
