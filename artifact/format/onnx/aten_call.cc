#include "artifact/format/onnx/aten_call.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "artifact/format/onnx/read_model.h"

namespace modelport::onnx {
namespace {

at::ScalarType TypeOfNumber(const Number& number) {
  switch (number.type()) {
    case NumberType::kInt:
      return at::kLong;
    case NumberType::kFloat:
      return at::kDouble;
    default:
      return at::kBool;
  }
}

std::string AddOne(absl::string_view operation, const std::vector<std::string>& inputs, const Attributes& attributes,
                   Context& context) {
  return context.graph.Add(operation, inputs, attributes, context.scope)[0];
}

std::string CastName(const std::string& name, at::ScalarType type, Context& context) {
  return AddOne("Cast", {name}, {Attribute("to", static_cast<int64_t>(DataTypeOf(type)))}, context);
}

// The size that an input or a node's result has.
std::string SymbolName(const Number& symbol, Context& context) {
  const auto measured = context.symbols.find(symbol.text());
  if (measured == context.symbols.end()) return NameOf(symbol, context);
  const auto& [tensor, axis] = measured->second;
  return AddOne("Shape", {tensor}, {Attribute("start", axis), Attribute("end", axis + 1)}, context);
}

// The product of a term, of which H's unit h counts as a part of H: 28 * h is 2 * H.
std::string TermName(const std::vector<Number>& factors, int64_t scale, Context& context) {
  std::string product;
  const auto multiply = [&](const std::string& name) {
    product = product.empty() ? name : AddOne("Mul", {product, name}, {}, context);
  };
  for (const Number& factor : factors) {
    const auto unit = context.facts.units().find(factor.text());
    if (unit != context.facts.units().end() && scale % unit->second.second == 0) {
      scale /= unit->second.second;
      multiply(SymbolName(unit->second.first, context));
    } else {
      multiply(NameOf(factor, context));
    }
  }
  if (scale != 1 || product.empty()) multiply(context.graph.Constant({scale}));
  return product;
}

std::string SumName(const Terms& terms, Context& context) {
  std::string sum;
  for (const bool is_added : {true, false}) {
    for (const auto& [factors, scale] : terms) {
      if ((scale > 0) != is_added) continue;
      if (sum.empty()) {
        sum = TermName(factors, scale, context);
      } else {
        sum = AddOne(is_added ? "Add" : "Sub", {sum, TermName(factors, std::abs(scale), context)}, {}, context);
      }
    }
  }
  return sum;
}

std::string FloorDivName(const Number& number, Context& context) {
  const std::string a = NameOf(number.arguments()[0], context), b = NameOf(number.arguments()[1], context);
  if (LowerBound(number)) return AddOne("Div", {a, b}, {}, context);
  // ONNX's division rounds towards zero, and its Mod has the sign of the divisor.
  const std::string rest = AddOne("Mod", {a, b}, {}, context);
  return AddOne("Div", {AddOne("Sub", {a, rest}, {}, context), b}, {}, context);
}

absl::string_view OperatorOf(NumberOp op) {
  switch (op) {
    case NumberOp::kMod:
      return "Mod";
    case NumberOp::kMax:
      return "Max";
    case NumberOp::kMin:
      return "Min";
    case NumberOp::kAdd:
      return "Add";
    case NumberOp::kSub:
      return "Sub";
    case NumberOp::kMul:
      return "Mul";
    case NumberOp::kDiv:
      return "Div";
    case NumberOp::kPow:
      return "Pow";
    case NumberOp::kSqrt:
      return "Sqrt";
    case NumberOp::kRound:
      return "Round";
    case NumberOp::kEqual:
      return "Equal";
    case NumberOp::kLess:
      return "Less";
    case NumberOp::kAnd:
      return "And";
    case NumberOp::kOr:
      return "Or";
    case NumberOp::kNot:
      return "Not";
    default:
      return "Where";
  }
}

std::string MakeName(const Number& number, Context& context) {
  if (number.AsInt()) return context.graph.Constant({*number.AsInt()});
  if (number.AsFloat()) return context.graph.Constant(at::tensor({*number.AsFloat()}, at::kDouble));
  if (number.AsBool())
    return context.graph.Constant(at::tensor({static_cast<int64_t>(*number.AsBool())}).to(at::kBool));
  const auto argument = [&](size_t i) { return NameOf(number.arguments()[i], context); };
  switch (number.op()) {
    case NumberOp::kSymbol: {
      const auto unit = context.facts.units().find(number.text());
      if (unit == context.facts.units().end()) return SymbolName(number, context);
      const auto& [whole, divisor] = unit->second;
      return AddOne("Div", {SymbolName(whole, context), context.graph.Constant({divisor})}, {}, context);
    }
    case NumberOp::kSum:
      return SumName(number.terms(), context);
    case NumberOp::kFloorDiv:
      return FloorDivName(number, context);
    case NumberOp::kToFloat:
      return CastName(argument(0), at::kDouble, context);
    case NumberOp::kToInt:
      return CastName(argument(0), at::kLong, context);
    case NumberOp::kFloor:
    case NumberOp::kCeil:
      return CastName(AddOne(number.op() == NumberOp::kFloor ? "Floor" : "Ceil", {argument(0)}, {}, context), at::kLong,
                      context);
    default: {
      std::vector<std::string> names;
      for (const Number& one : number.arguments()) names.push_back(NameOf(one, context));
      return AddOne(OperatorOf(number.op()), names, {}, context);
    }
  }
}

}  // namespace

std::string NameOf(const Number& number, Context& context) {
  const Number known = context.facts.Apply(number);
  if (const std::string* const found = context.graph.Find(known.text())) return *found;
  std::string name = MakeName(known, context);
  context.graph.Remember(known.text(), name);
  return name;
}

const void* MemoryOf(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

void Take(const at::Tensor& constant, Context& context) {
  if (!constant.has_storage()) return;
  context.taken.try_emplace(MemoryOf(constant), constant.storage().getWeakStorageImpl());
}

void NoteView(const at::Tensor& constant, Context& context) {
  if (!constant.has_storage()) return;
  context.viewed.try_emplace(MemoryOf(constant), constant.storage().getWeakStorageImpl());
}

void AtenCall::Fail(absl::string_view message) {
  if (status_.ok()) status_ = absl::UnimplementedError(absl::StrCat(name_, ": ", message));
}

const Value& AtenCall::argument(size_t i) const {
  static const auto* const none = new Value(c10::IValue());
  return i < arguments_.size() ? arguments_[i] : *none;
}

bool AtenCall::IsNone(size_t i) const {
  const auto* const known = std::get_if<c10::IValue>(&argument(i));
  return known != nullptr && known->isNone();
}

bool AtenCall::IsTensor(size_t i) const {
  const auto* const known = std::get_if<c10::IValue>(&argument(i));
  return known != nullptr ? known->isTensor() : std::get_if<TensorPtr>(&argument(i)) != nullptr;
}

TensorPtr AtenCall::ConstantOf(const at::Tensor& tensor) const {
  auto result = std::make_shared<Tensor>();
  result->type = tensor.scalar_type();
  for (const int64_t size : tensor.sizes()) result->shape.emplace_back(size);
  result->constant = tensor;
  return result;
}

absl::optional<Number> AsNumber(const Value& value, const Context& context) {
  if (const auto* const number = std::get_if<Number>(&value)) return context.facts.Apply(*number);
  const auto* const known = std::get_if<c10::IValue>(&value);
  if (known == nullptr) return absl::nullopt;
  if (known->isInt()) return Number(known->toInt());
  if (known->isDouble()) return Number(known->toDouble());
  if (known->isBool()) return Number(known->toBool());
  return absl::nullopt;
}

Value FromNumber(const Number& number) {
  if (number.AsInt()) return c10::IValue(*number.AsInt());
  if (number.AsFloat()) return c10::IValue(*number.AsFloat());
  if (number.AsBool()) return c10::IValue(*number.AsBool());
  return number;
}

TensorPtr AtenCall::In(size_t i) {
  if (const auto* const tensor = std::get_if<TensorPtr>(&argument(i))) return *tensor;
  const auto* const known = std::get_if<c10::IValue>(&argument(i));
  if (known != nullptr && known->isTensor()) {
    const at::Tensor& constant = known->toTensor();
    const auto now = context_.rewritten.find(MemoryOf(constant));
    if (now == context_.rewritten.end()) return ConstantOf(constant);
    if (!now->second.first.is_same(constant)) {
      Fail("reads a view of a constant that was written to; write into a copy");
    }
    return now->second.second;
  }
  Fail(absl::StrCat("argument ", i, " is no tensor"));
  return std::make_shared<Tensor>();
}

TensorPtr AtenCall::Item(size_t i, size_t item) {
  const auto* const list = std::get_if<std::shared_ptr<onnx::ValueList>>(&argument(i));
  if (list == nullptr || item >= (*list)->items.size()) {
    Fail(absl::StrCat("argument ", i, " is no list"));
    return std::make_shared<Tensor>();
  }
  AtenCall one(name_, {(*list)->items[item]}, context_);
  TensorPtr tensor = one.In(0);
  status_.Update(one.status_);
  return tensor;
}

std::vector<TensorPtr> AtenCall::Tensors(size_t i) {
  std::vector<TensorPtr> tensors;
  const auto* const list = std::get_if<std::shared_ptr<onnx::ValueList>>(&argument(i));
  if (list == nullptr) Fail(absl::StrCat("argument ", i, " is no list"));
  for (size_t item = 0; list != nullptr && item < (*list)->items.size(); ++item) tensors.push_back(Item(i, item));
  return tensors;
}

Number AtenCall::Num(size_t i) {
  if (absl::optional<Number> number = AsNumber(argument(i), context_)) return *std::move(number);
  Fail(absl::StrCat("argument ", i, " is no number"));
  return Number(int64_t{1});
}

int64_t AtenCall::Int(size_t i) {
  const Number number = Num(i);
  if (number.AsInt()) return *number.AsInt();
  Fail(absl::StrCat("argument ", i, " depends on the input's size: ", number.text()));
  return 1;
}

double AtenCall::Float(size_t i) {
  const Number number = ToFloat(Num(i));
  if (number.AsFloat()) return *number.AsFloat();
  Fail(absl::StrCat("argument ", i, " depends on the input's size: ", number.text()));
  return 1;
}

bool AtenCall::Bool(size_t i) {
  const Number number = Num(i);
  if (number.AsBool()) return *number.AsBool();
  Fail(absl::StrCat("argument ", i, " is not known here: ", number.text()));
  return false;
}

std::string AtenCall::Text(size_t i) {
  const auto* const known = std::get_if<c10::IValue>(&argument(i));
  if (known != nullptr && known->isString()) return known->toStringRef();
  Fail(absl::StrCat("argument ", i, " is no text"));
  return "";
}

Shape AtenCall::Numbers(size_t i) {
  Shape numbers;
  if (const auto* const list = std::get_if<std::shared_ptr<onnx::ValueList>>(&argument(i))) {
    for (const Value& item : (*list)->items) {
      const absl::optional<Number> number = AsNumber(item, context_);
      if (!number) Fail(absl::StrCat("argument ", i, " is no list of numbers"));
      numbers.push_back(number.value_or(Number()));
    }
    return numbers;
  }
  if (const absl::optional<Number> number = AsNumber(argument(i), context_)) return {*number};
  Fail(absl::StrCat("argument ", i, " is no list"));
  return numbers;
}

std::vector<int64_t> AtenCall::Ints(size_t i) {
  std::vector<int64_t> ints;
  for (const Number& number : Numbers(i)) {
    if (!number.AsInt()) Fail(absl::StrCat("argument ", i, " depends on the input's size: ", number.text()));
    ints.push_back(number.AsInt().value_or(1));
  }
  return ints;
}

int64_t AtenCall::Axis(size_t i, size_t rank) {
  const int64_t axis = Int(i), size = static_cast<int64_t>(rank);
  if (axis < -size || axis >= size) {
    Fail(absl::StrCat("dimension ", axis, " of a tensor of ", rank));
    return 0;
  }
  return axis < 0 ? axis + size : axis;
}

Value AtenCall::List(const std::vector<TensorPtr>& tensors) const {
  auto list = std::make_shared<ValueList>();
  list->items.assign(tensors.begin(), tensors.end());
  list->depth = depth();
  return list;
}

Shape AtenCall::ShapeOf(const TensorPtr& tensor) const {
  Shape shape;
  for (const Number& size : tensor->shape) shape.push_back(context_.facts.Apply(size));
  return shape;
}

TensorPtr AtenCall::Current(const TensorPtr& tensor) {
  if (tensor->is_current() || tensor->part == nullptr) return tensor;
  const Tensor::Part& part = *tensor->part;
  const TensorPtr whole = Current(part.whole);
  if (!whole->is_current()) return tensor;
  const TensorPtr current = Reshape(Slice(whole, part.axis, part.start, part.end), ShapeOf(tensor));
  // A branch's names are unknown around it.
  if (tensor->depth != context_.graph.depth()) return current;
  tensor->name = Name(current);
  tensor->seen = whole->seen;
  return tensor;
}

std::string AtenCall::WeightName(const at::Tensor& constant) const {
  const auto found = context_.weights.find(constant.unsafeGetTensorImpl());
  return found == context_.weights.end() ? "" : found->second;
}

std::string AtenCall::Name(const TensorPtr& any) {
  const TensorPtr tensor = Current(any);
  const auto is_current = [](const TensorPtr& one) { return one->is_current(); };
  if (!tensor->is_current() || !std::all_of(tensor->chosen_of.begin(), tensor->chosen_of.end(), is_current)) {
    Fail("reads a tensor whose memory was written to through another view of it; write into a copy");
  }
  if (tensor->constant.defined() && tensor->name.empty()) {
    const at::Tensor& constant = tensor->constant;
    if (DataTypeOf(constant.scalar_type()) == onnx_file::TensorProto::UNDEFINED) {
      Fail(absl::StrCat("ONNX has no elements of ", c10::toString(constant.scalar_type())));
    }
    Take(constant, context_);
    tensor->name = context_.graph.Constant(constant, WeightName(constant));
  }
  return tensor->name;
}

std::vector<TensorPtr> AtenCall::MakeAll(absl::string_view operation, const std::vector<std::string>& inputs,
                                         const std::vector<std::pair<at::ScalarType, Shape>>& results,
                                         const Attributes& attributes) {
  const std::vector<std::string> names =
      context_.graph.Add(operation, inputs, attributes, context_.scope, static_cast<int>(results.size()));
  std::vector<TensorPtr> tensors;
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorPtr& tensor = tensors.emplace_back(std::make_shared<Tensor>());
    tensor->name = names[i];
    std::tie(tensor->type, tensor->shape) = results[i];
    tensor->depth = context_.graph.depth();
  }
  return tensors;
}

TensorPtr AtenCall::MakeOf(absl::string_view operation, const std::vector<std::string>& inputs, at::ScalarType type,
                           Shape shape, const Attributes& attributes) {
  return MakeAll(operation, inputs, {{type, std::move(shape)}}, attributes)[0];
}

TensorPtr AtenCall::Make(absl::string_view operation, const std::vector<TensorPtr>& inputs, at::ScalarType type,
                         Shape shape, const Attributes& attributes) {
  std::vector<std::string> names;
  for (const TensorPtr& input : inputs) names.push_back(Name(input));
  return MakeOf(operation, names, type, std::move(shape), attributes);
}

TensorPtr AtenCall::NumberAs(const Number& number, at::ScalarType type) {
  if (number.is_constant()) {
    const double value = number.AsFloat().value_or(number.AsBool().value_or(false) ? 1 : 0);
    if (number.AsInt()) return ConstantOf(at::tensor({*number.AsInt()}).to(type));
    return ConstantOf(at::tensor({value}, at::kDouble).to(type));
  }
  auto result = std::make_shared<Tensor>();
  result->name = Name(number);
  result->type = TypeOfNumber(number);
  result->shape = {Number(int64_t{1})};
  result->depth = context_.graph.depth();
  return Cast(result, type);
}

std::string AtenCall::List(const Shape& numbers) {
  std::vector<int64_t> known;
  for (const Number& number : numbers) known.push_back(number.AsInt().value_or(-1));
  if (std::all_of(numbers.begin(), numbers.end(), [](const Number& one) { return one.AsInt().has_value(); })) {
    return Constant(known);
  }
  if (numbers.size() == 1) return Name(numbers[0]);
  // Known numbers that follow each other are one constant.
  std::vector<std::string> pieces;
  for (size_t i = 0; i < numbers.size();) {
    std::vector<int64_t> run;
    for (; i < numbers.size() && numbers[i].AsInt(); ++i) run.push_back(*numbers[i].AsInt());
    pieces.push_back(run.empty() ? Name(numbers[i++]) : Constant(run));
  }
  return AddOne("Concat", pieces, {Attribute("axis", int64_t{0})}, context_);
}

TensorPtr AtenCall::Cast(const TensorPtr& tensor, at::ScalarType type) {
  if (tensor->type == type) return tensor;
  if (tensor->constant.defined() && tensor->is_current()) return ConstantOf(tensor->constant.to(type));
  return Make("Cast", {tensor}, type, ShapeOf(tensor), {Attribute("to", static_cast<int64_t>(DataTypeOf(type)))});
}

TensorPtr AtenCall::Wide(const TensorPtr& tensor) {
  return tensor->type == at::kHalf || tensor->type == at::kBFloat16 ? Cast(tensor, at::kFloat) : tensor;
}

// At most one size is left to the runtime as -1, and those that stay are 0, so that most shapes are constants.
TensorPtr AtenCall::Reshape(const TensorPtr& tensor, const Shape& shape) {
  const Shape old = ShapeOf(tensor);
  if (old == shape) return tensor;
  if (tensor->constant.defined() && tensor->is_current()) {
    std::vector<int64_t> known;
    for (const Number& size : shape) known.push_back(size.AsInt().value_or(-1));
    return ConstantOf(tensor->constant.reshape(known));
  }
  std::vector<int64_t> sizes;
  size_t open = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool is_kept = i < old.size() && shape[i] == old[i] && !shape[i].AsInt();
    sizes.push_back(shape[i].AsInt() ? *shape[i].AsInt() : is_kept ? 0 : -1);
    if (sizes.back() == -1) ++open;
  }
  const bool has_zero = std::any_of(shape.begin(), shape.end(), [](const Number& one) { return one.AsInt() == 0; });
  FailUnless(!has_zero, "makes a tensor without elements");
  return MakeOf("Reshape", {Name(tensor), open <= 1 ? Constant(sizes) : List(shape)}, tensor->type, shape);
}

TensorPtr AtenCall::Transpose(const TensorPtr& tensor, const std::vector<int64_t>& order) {
  const Shape old = ShapeOf(tensor);
  Shape shape;
  bool is_moved = false;
  for (size_t i = 0; i < order.size(); ++i) {
    shape.push_back(old[order[i]]);
    is_moved = is_moved || order[i] != static_cast<int64_t>(i);
  }
  if (!is_moved) return tensor;
  if (tensor->constant.defined() && tensor->is_current()) {
    const std::string weight = WeightName(tensor->constant);
    const TensorPtr moved = ConstantOf(tensor->constant.permute(order));
    if (weight.empty()) return moved;
    if (order == std::vector<int64_t>{1, 0}) {
      Take(tensor->constant, context_);
      moved->name = context_.graph.Constant(moved->constant, absl::StrCat(weight, kTransposedEnding));
      return moved;
    }
  }
  return Make("Transpose", {tensor}, tensor->type, shape, {Attribute("perm", order)});
}

TensorPtr AtenCall::Expand(const TensorPtr& tensor, const Shape& shape) {
  const Shape old = ShapeOf(tensor);
  if (old == shape) return tensor;
  // A size that stays is 1 here, since Expand broadcasts.
  Shape wanted = shape;
  const size_t ahead = shape.size() - old.size();
  for (size_t i = 0; i < old.size(); ++i) {
    if (old[i] == shape[ahead + i]) wanted[ahead + i] = Number(int64_t{1});
  }
  return MakeOf("Expand", {Name(tensor), List(wanted)}, tensor->type, shape);
}

TensorPtr AtenCall::Slice(const TensorPtr& tensor, int64_t axis, const Number& start, const Number& end, int64_t step) {
  Shape shape = ShapeOf(tensor);
  if (start == Number(int64_t{0}) && end == shape[axis] && step == 1) {
    auto whole = std::make_shared<Tensor>(*tensor);
    whole->part = std::make_shared<Tensor::Part>(Tensor::Part{tensor, axis, start, end});
    return whole;
  }
  // An end that is the tensor's own needs no number.
  const std::string last = end == shape[axis] ? Constant({std::numeric_limits<int64_t>::max()}) : Name(end);
  shape[axis] = FloorDiv(end - start + Number(step - 1), Number(step));
  TensorPtr result =
      MakeOf("Slice", {Name(tensor), Name(start), last, Constant({axis}), Constant({step})}, tensor->type, shape);
  if (step == 1) result->part = std::make_shared<Tensor::Part>(Tensor::Part{tensor, axis, start, end});
  return result;
}

TensorPtr AtenCall::PutBack(const TensorPtr& tensor) {
  const Tensor::Part& part = *tensor->part;
  const Number size = ShapeOf(part.whole)[part.axis], zero(int64_t{0});
  std::vector<TensorPtr> pieces;
  if (!(part.start == zero)) pieces.push_back(Slice(part.whole, part.axis, zero, part.start));
  Shape shape = ShapeOf(tensor);
  if (part.is_place) shape.insert(shape.begin() + part.axis, Number(int64_t{1}));
  pieces.push_back(Reshape(tensor, shape));
  if (!(part.end == size)) pieces.push_back(Slice(part.whole, part.axis, part.end, size));
  return Concat(pieces, part.axis);
}

TensorPtr AtenCall::Concat(const std::vector<TensorPtr>& tensors, int64_t axis) {
  if (tensors.size() == 1) return tensors[0];
  Shape shape = ShapeOf(tensors[0]);
  at::ScalarType type = tensors[0]->type;
  for (size_t i = 1; i < tensors.size(); ++i) {
    shape[axis] = shape[axis] + ShapeOf(tensors[i])[axis];
    type = c10::promoteTypes(type, tensors[i]->type);
  }
  std::vector<TensorPtr> inputs;
  for (const TensorPtr& tensor : tensors) inputs.push_back(Cast(tensor, type));
  return Make("Concat", inputs, type, shape, {Attribute("axis", axis)});
}

TensorPtr AtenCall::Binary(absl::string_view operation, const TensorPtr& a, const TensorPtr& b) {
  return Make(operation, {a, b}, a->type, Broadcast(ShapeOf(a), ShapeOf(b)));
}

TensorPtr AtenCall::Binary(absl::string_view operation, const TensorPtr& a, double b) {
  return Binary(operation, a, ConstantOf(at::scalar_tensor(b, at::TensorOptions(at::kDouble)).to(a->type)));
}

TensorPtr AtenCall::Unary(absl::string_view operation, const TensorPtr& a, const Attributes& attributes) {
  return Make(operation, {a}, a->type, ShapeOf(a), attributes);
}

TensorPtr AtenCall::MatMul(const TensorPtr& a, const TensorPtr& b) {
  const Shape left = ShapeOf(a), right = ShapeOf(b);
  FailUnless(!left.empty() && !right.empty(), "of a single number");
  if (!status_.ok()) return a;
  // The rows of a vector on the left, and the columns of one on the right, are not in the result.
  const size_t rows = std::min<size_t>(left.size(), 2), columns = std::min<size_t>(right.size(), 2);
  Shape shape = Broadcast(Shape(left.begin(), left.end() - rows), Shape(right.begin(), right.end() - columns));
  if (rows == 2) shape.push_back(left[left.size() - 2]);
  if (columns == 2) shape.push_back(right.back());
  return Make("MatMul", {a, b}, a->type, shape);
}

TensorPtr AtenCall::Range(const Number& size, at::ScalarType type, int64_t first) {
  if (size.AsInt()) return ConstantOf(at::arange(first, first + *size.AsInt(), at::TensorOptions(at::kLong)).to(type));
  const auto scalar = [&](int64_t value) { return context_.graph.Constant(at::scalar_tensor(value, at::kLong)); };
  const std::string end = AddOne("Squeeze", {Name(size + Number(first))}, {}, context_);
  return Cast(MakeOf("Range", {scalar(first), end, scalar(1)}, at::kLong, {size}), type);
}

Number Elements(const Shape& shape) {
  Number product(int64_t{1});
  for (const Number& size : shape) product = product * size;
  return product;
}

Shape Broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape shape = longer;
  const size_t ahead = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    Number& size = shape[ahead + i];
    // Sizes that differ are equal when the code runs, unless one is 1; a known one tells more.
    if (size.AsInt() == 1 || (shorter[i].AsInt() && shorter[i].AsInt() != 1)) size = shorter[i];
  }
  return shape;
}

const Row* FindRow(absl::string_view name) {
  static const auto* const by_name = [] {
    auto* const rows_by_name = new std::map<absl::string_view, const Row*>;
    for (const absl::Span<const Row> rows : {ElementwiseRows(), ShapeRows(), LayerRows()}) {
      for (const Row& row : rows) rows_by_name->emplace(row.name, &row);
    }
    return rows_by_name;
  }();
  const auto found = by_name->find(name);
  return found == by_name->end() ? nullptr : found->second;
}

absl::optional<Number> NumberRow(absl::string_view name, const std::vector<Number>& a) {
  const auto of = [&](NumberOp op) { return Number::Of(op, {ToFloat(a[0])}); };
  if (a.size() == 1) {
    if (name == "aten::neg") return -a[0];
    if (name == "aten::__not__") return Not(a[0]);
    if (name == "aten::Float") return ToFloat(a[0]);
    if (name == "aten::Int" || name == "prim::int")
      return a[0].type() == NumberType::kInt ? a[0] : of(NumberOp::kToInt);
    if (name == "aten::sqrt") return of(NumberOp::kSqrt);
    if (name == "aten::floor") return a[0].type() == NumberType::kInt ? a[0] : of(NumberOp::kFloor);
    if (name == "aten::ceil") return a[0].type() == NumberType::kInt ? a[0] : of(NumberOp::kCeil);
    if (name == "aten::round") return of(NumberOp::kRound);
  }
  if (a.size() == 2) {
    const bool are_ints = a[0].type() == NumberType::kInt && a[1].type() == NumberType::kInt;
    if (name == "aten::add") return a[0] + a[1];
    if (name == "aten::sub") return a[0] - a[1];
    if (name == "aten::mul") return a[0] * a[1];
    if (name == "aten::div") return TrueDiv(a[0], a[1]);
    if (name == "aten::floordiv" && are_ints) return FloorDiv(a[0], a[1]);
    if (name == "aten::remainder" && are_ints) return Mod(a[0], a[1]);
    if (name == "aten::pow") return Number::Of(NumberOp::kPow, {ToFloat(a[0]), ToFloat(a[1])});
    if (name == "prim::max") return Max(a[0], a[1]);
    if (name == "prim::min") return Min(a[0], a[1]);
    if (name == "aten::eq") return Equal(a[0], a[1]);
    if (name == "aten::ne") return Not(Equal(a[0], a[1]));
    if (name == "aten::lt") return Less(a[0], a[1]);
    if (name == "aten::gt") return Less(a[1], a[0]);
    if (name == "aten::ge") return Not(Less(a[0], a[1]));
    if (name == "aten::le") return Not(Less(a[1], a[0]));
    const bool are_bools = a[0].type() == NumberType::kBool && a[1].type() == NumberType::kBool;
    if (name == "aten::__and__" && are_bools) return And(a[0], a[1]);
    if (name == "aten::__or__" && are_bools) return Or(a[0], a[1]);
  }
  return absl::nullopt;
}

}  // namespace modelport::onnx
