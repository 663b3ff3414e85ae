// Operators that compute each element of their result from the elements at its place.
#include <ATen/ops/scalar_tensor.h>

#include <cmath>
#include <numbers>

#include "artifact/format/onnx/aten_call.h"

namespace modelport::onnx {
namespace {

// The type of the result of an operator on both arguments, as ATen's: a number changes only the kind.
at::ScalarType PromotedType(const TensorPtr& tensor, const Number& number) {
  if (number.type() == NumberType::kFloat && !c10::isFloatingType(tensor->type)) return at::kFloat;
  if (number.type() == NumberType::kInt && tensor->type == at::kBool) return at::kLong;
  return tensor->type;
}

at::ScalarType PromotedType(const TensorPtr& a, const TensorPtr& b) {
  // A tensor without dimensions changes only the kind, too.
  const auto category = [](at::ScalarType type) { return c10::isFloatingType(type) ? 2 : type == at::kBool ? 0 : 1; };
  const bool a_counts = !a->shape.empty(), b_counts = !b->shape.empty();
  if (a_counts && !b_counts && category(a->type) >= category(b->type)) return a->type;
  if (b_counts && !a_counts && category(b->type) >= category(a->type)) return b->type;
  return c10::promoteTypes(a->type, b->type);
}

// Two operands of one type; a number becomes a tensor that broadcasts.
struct Operands {
  TensorPtr a, b;
  at::ScalarType result = a->type;  // Of ATen's result of arithmetic.
};

TensorPtr NumberBeside(AtenCall& op, const Number& number, const TensorPtr& other, at::ScalarType type) {
  if (number.is_constant()) {
    const TensorPtr tensor = op.NumberAs(number, type);
    return op.ConstantOf(tensor->constant.reshape({}));
  }
  const TensorPtr tensor = op.NumberAs(number, type);
  return other->shape.empty() ? op.MakeOf("Squeeze", {op.Name(tensor)}, type, {}) : tensor;
}

// `a` and the argument with the number `other`, which are of one type then.
Operands Beside(AtenCall& op, const TensorPtr& a, size_t other) {
  if (op.IsTensor(other)) {
    const TensorPtr b = op.In(other);
    const at::ScalarType type = PromotedType(a, b);
    return {op.Cast(a, type), op.Cast(b, type)};
  }
  const Number number = op.Num(other);
  const at::ScalarType type = PromotedType(a, number);
  const TensorPtr b = NumberBeside(op, number, a, type);
  return {op.Cast(a, type), b};
}

Operands Both(AtenCall& op, size_t first = 0, size_t second = 1) {
  if (op.IsTensor(first)) return Beside(op, op.In(first), second);
  const Operands both = Beside(op, op.In(second), first);
  return {both.b, both.a};
}

// Whether a number may be lost in this type, by more than rounding: it depends on sizes, or is too large or too small.
bool IsLost(AtenCall& op, const Number& number, at::ScalarType type) {
  if (!number.is_constant()) return true;
  const double exact = ToFloat(number).AsFloat().value_or(0);
  const double rounded = op.NumberAs(number, type)->constant.to(at::kDouble).item<double>();
  return !(std::abs(rounded - exact) <= 0.01 * std::abs(exact));
}

// The operands of arithmetic. ATen computes float16 and a number in float32, in which the number is what it is.
Operands OfArithmetic(AtenCall& op) {
  const Operands both = Both(op);
  const size_t number = op.IsTensor(0) ? 1 : 0;
  const bool is_half = both.a->type == at::kHalf || both.a->type == at::kBFloat16;
  if (!is_half || op.IsTensor(number) || !IsLost(op, op.Num(number), both.a->type)) return both;
  const TensorPtr wide = op.Wide(number == 1 ? both.a : both.b);
  const TensorPtr exact = NumberBeside(op, op.Num(number), wide, at::kFloat);
  return number == 1 ? Operands{wide, exact, both.a->type} : Operands{exact, wide, both.a->type};
}

TensorPtr Same(AtenCall& op, absl::string_view operation) {
  const Operands both = Both(op);
  return op.Binary(operation, both.a, both.b);
}

// alpha * b, of add and sub.
TensorPtr Scaled(AtenCall& op, const TensorPtr& tensor, size_t alpha) {
  if (op.size() <= alpha) return tensor;
  const Number scale = op.Num(alpha);
  if (scale.AsInt() == 1 || scale.AsFloat() == 1.0) return tensor;
  return op.Binary("Mul", tensor, NumberBeside(op, scale, tensor, tensor->type));
}

Value Add(AtenCall& op) {
  const Operands both = OfArithmetic(op);
  if (both.a->type == at::kBool) return op.Binary("Or", both.a, both.b);
  return op.Cast(op.Binary("Add", both.a, Scaled(op, both.b, 2)), both.result);
}

Value Sub(AtenCall& op) {
  const Operands both = OfArithmetic(op);
  return op.Cast(op.Binary("Sub", both.a, Scaled(op, both.b, 2)), both.result);
}

Value Rsub(AtenCall& op) {
  const Operands both = OfArithmetic(op);
  return op.Cast(op.Binary("Sub", both.b, Scaled(op, both.a, 2)), both.result);
}

Value Mul(AtenCall& op) {
  const Operands both = OfArithmetic(op);
  return op.Cast(op.Binary(both.a->type == at::kBool ? "And" : "Mul", both.a, both.b), both.result);
}

Value Div(AtenCall& op) {
  op.FailUnless(op.size() == 2, "has a rounding mode");
  Operands both = OfArithmetic(op);
  if (!c10::isFloatingType(both.a->type)) both = {op.Cast(both.a, at::kFloat), op.Cast(both.b, at::kFloat)};
  return op.Cast(op.Binary("Div", both.a, both.b), both.result);
}

Value Pow(AtenCall& op) {
  if (op.IsTensor(0) && !op.IsTensor(1) && op.Num(1).is_constant() && ToFloat(op.Num(1)).AsFloat() == 2.0) {
    const TensorPtr base = op.Cast(op.In(0), PromotedType(op.In(0), op.Num(1)));
    return op.Binary("Mul", base, base);
  }
  return Same(op, "Pow");
}

Value Compared(AtenCall& op, absl::string_view operation) {
  const Operands both = Both(op);
  return op.Make(operation, {both.a, both.b}, at::kBool, Broadcast(op.ShapeOf(both.a), op.ShapeOf(both.b)));
}

Value Eq(AtenCall& op) { return Compared(op, "Equal"); }
Value Lt(AtenCall& op) { return Compared(op, "Less"); }
Value Le(AtenCall& op) { return Compared(op, "LessOrEqual"); }
Value Gt(AtenCall& op) { return Compared(op, "Greater"); }
Value Ge(AtenCall& op) { return Compared(op, "GreaterOrEqual"); }

Value Ne(AtenCall& op) {
  const Value equal = Compared(op, "Equal");
  const auto* const tensor = std::get_if<TensorPtr>(&equal);
  return op.Unary("Not", *tensor);
}

Value LogicalNot(AtenCall& op) {
  op.FailUnless(op.In(0)->type == at::kBool, "of other than bools");
  return op.Unary("Not", op.In(0));
}

// `&` and `|` are those of bits for integers.
Value OfBools(AtenCall& op, absl::string_view operation) {
  op.FailUnless(op.In(0)->type == at::kBool && op.In(1)->type == at::kBool, "of other than bools");
  return Compared(op, operation);
}

Value LogicalAnd(AtenCall& op) { return OfBools(op, "And"); }
Value LogicalOr(AtenCall& op) { return OfBools(op, "Or"); }

Value Where(AtenCall& op) {
  const Operands both = Both(op, 1, 2);
  const TensorPtr condition = op.In(0);
  const Shape shape = Broadcast(op.ShapeOf(condition), Broadcast(op.ShapeOf(both.a), op.ShapeOf(both.b)));
  return op.Make("Where", {condition, both.a, both.b}, both.a->type, shape);
}

Value MaskedFill(AtenCall& op) {
  const TensorPtr tensor = op.In(0), mask = op.In(1);
  const TensorPtr value =
      op.IsTensor(2) ? op.Cast(op.In(2), tensor->type) : NumberBeside(op, op.Num(2), tensor, tensor->type);
  return op.Make("Where", {mask, value, tensor}, tensor->type, Broadcast(op.ShapeOf(mask), op.ShapeOf(tensor)));
}

// The tensor, whose integers become floats.
TensorPtr Floating(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  return c10::isFloatingType(tensor->type) ? tensor : op.Cast(tensor, at::kFloat);
}

// An operator of one tensor, whose integers become floats.
template <const char* kOperation>
Value Of(AtenCall& op) {
  return op.Unary(kOperation, Floating(op));
}

// One that leaves integers as they are.
template <const char* kOperation>
Value Rounded(AtenCall& op) {
  const TensorPtr tensor = op.In(0);
  op.FailUnless(op.size() == 1, "to decimals");
  return c10::isFloatingType(tensor->type) ? op.Unary(kOperation, tensor) : tensor;
}

template <const char* kOperation>
Value Any(AtenCall& op) {
  return op.Unary(kOperation, op.In(0));
}

constexpr char kAbs[] = "Abs", kNeg[] = "Neg", kSign[] = "Sign", kRelu[] = "Relu", kSigmoid[] = "Sigmoid",
               kTanh[] = "Tanh", kExp[] = "Exp", kLog[] = "Log", kSqrt[] = "Sqrt", kSin[] = "Sin", kCos[] = "Cos",
               kTan[] = "Tan", kAtan[] = "Atan", kErf[] = "Erf", kFloor[] = "Floor", kCeil[] = "Ceil",
               kRound[] = "Round", kReciprocal[] = "Reciprocal";

Value Rsqrt(AtenCall& op) { return op.Unary("Reciprocal", op.Unary("Sqrt", Floating(op))); }
Value Square(AtenCall& op) { return op.Binary("Mul", op.In(0), op.In(0)); }
Value Silu(AtenCall& op) { return op.Binary("Mul", op.In(0), op.Unary("Sigmoid", op.In(0))); }

Value Softplus(AtenCall& op) {
  // Beyond the threshold ATen gives the argument itself, which the logarithm equals there in float32.
  op.FailUnless(op.Float(1) == 1 && op.Float(2) >= 20, "has another beta than 1, or a threshold below 20");
  return op.Unary("Softplus", op.In(0));
}

Value Expm1(AtenCall& op) { return op.Binary("Sub", op.Unary("Exp", Floating(op)), 1); }

Value Gelu(AtenCall& op) {
  const TensorPtr x = op.In(0);
  if (op.opset() >= 20) return op.Unary("Gelu", x, {Attribute("approximate", op.Text(1))});
  if (op.Text(1) == "none") {
    const TensorPtr erf = op.Unary("Erf", op.Binary("Div", x, std::numbers::sqrt2));
    return op.Binary("Mul", op.Binary("Mul", x, op.Binary("Add", erf, 1)), 0.5);
  }
  const TensorPtr cube = op.Binary("Mul", op.Binary("Mul", x, x), x);
  const TensorPtr inner = op.Binary("Add", x, op.Binary("Mul", cube, 0.044715));
  const TensorPtr tanh = op.Unary("Tanh", op.Binary("Mul", inner, std::sqrt(2 / std::numbers::pi)));
  return op.Binary("Mul", op.Binary("Mul", x, op.Binary("Add", tanh, 1)), 0.5);
}

Value LeakyRelu(AtenCall& op) { return op.Unary("LeakyRelu", op.In(0), {Attribute("alpha", op.Float(1))}); }

Value Prelu(AtenCall& op) {
  // ATen's weight is of dimension 1, ONNX's is broadcast from the last one.
  const TensorPtr x = op.In(0);
  TensorPtr slope = op.In(1);
  const size_t rank = x->shape.size();
  if (op.ShapeOf(slope).size() == 1 && rank > 2) {
    Shape shape(rank - 1, Number(int64_t{1}));
    shape[0] = op.ShapeOf(slope)[0];
    slope = op.Reshape(slope, shape);
  }
  return op.Make("PRelu", {x, slope}, x->type, op.ShapeOf(x));
}

TensorPtr Limit(AtenCall& op, const TensorPtr& tensor, absl::string_view operation, size_t argument) {
  if (op.IsNone(argument)) return tensor;
  const Operands both = Beside(op, tensor, argument);
  return op.Binary(operation, both.a, both.b);
}

Value Clamp(AtenCall& op) {
  const TensorPtr least = Limit(op, op.In(0), "Max", 1);
  return op.size() > 2 ? Limit(op, least, "Min", 2) : least;
}

Value ClampMin(AtenCall& op) { return Limit(op, op.In(0), "Max", 1); }
Value ClampMax(AtenCall& op) { return Limit(op, op.In(0), "Min", 1); }
Value Maximum(AtenCall& op) { return Same(op, "Max"); }
Value Minimum(AtenCall& op) { return Same(op, "Min"); }

Value Addcmul(AtenCall& op) {
  const TensorPtr product = op.Binary("Mul", op.In(1), op.In(2));
  return op.Binary("Add", op.In(0), Scaled(op, product, 3));
}

Value Lerp(AtenCall& op) {
  const TensorPtr step = op.Binary("Sub", op.In(1), op.In(0));
  const TensorPtr weight = op.IsTensor(2) ? op.In(2) : NumberBeside(op, op.Num(2), step, step->type);
  return op.Binary("Add", op.In(0), op.Binary("Mul", step, weight));
}

Value To(AtenCall& op) {
  // The last arguments are non_blocking, copy and memory_format.
  return op.Cast(op.In(0), static_cast<at::ScalarType>(op.Int(1)));
}

Value Itself(AtenCall& op) { return op.In(0); }

Value Dropout(AtenCall& op) {
  op.FailUnless(!op.Bool(2), "of a module that is trained");
  return op.In(0);
}

constexpr Row kRows[] = {
    {"aten::add", Add},
    {"aten::sub", Sub},
    {"aten::rsub", Rsub},
    {"aten::mul", Mul},
    {"aten::div", Div},
    {"aten::pow", Pow},
    {"aten::eq", Eq},
    {"aten::ne", Ne},
    {"aten::lt", Lt},
    {"aten::le", Le},
    {"aten::gt", Gt},
    {"aten::ge", Ge},
    {"aten::logical_not", LogicalNot},
    {"aten::bitwise_not", LogicalNot},
    {"aten::logical_and", LogicalAnd},
    {"aten::logical_or", LogicalOr},
    {"aten::__and__", LogicalAnd},
    {"aten::__or__", LogicalOr},
    {"aten::where", Where},
    {"aten::masked_fill", MaskedFill},
    {"aten::abs", Any<kAbs>},
    {"aten::neg", Any<kNeg>},
    {"aten::sign", Any<kSign>},
    {"aten::relu", Any<kRelu>},
    {"aten::sigmoid", Of<kSigmoid>},
    {"aten::tanh", Of<kTanh>},
    {"aten::exp", Of<kExp>},
    {"aten::expm1", Expm1},
    {"aten::log", Of<kLog>},
    {"aten::sqrt", Of<kSqrt>},
    {"aten::rsqrt", Rsqrt},
    {"aten::square", Square},
    {"aten::reciprocal", Of<kReciprocal>},
    {"aten::sin", Of<kSin>},
    {"aten::cos", Of<kCos>},
    {"aten::tan", Of<kTan>},
    {"aten::atan", Of<kAtan>},
    {"aten::erf", Of<kErf>},
    {"aten::floor", Rounded<kFloor>},
    {"aten::ceil", Rounded<kCeil>},
    {"aten::round", Rounded<kRound>},
    {"aten::softplus", Softplus},
    {"aten::gelu", Gelu},
    {"aten::silu", Silu},
    {"aten::leaky_relu", LeakyRelu},
    {"aten::prelu", Prelu},
    {"aten::clamp", Clamp},
    {"aten::clamp_min", ClampMin},
    {"aten::clamp_max", ClampMax},
    {"aten::maximum", Maximum},
    {"aten::minimum", Minimum},
    {"aten::addcmul", Addcmul},
    {"aten::lerp", Lerp},
    {"aten::to", To, true},
    {"aten::contiguous", Itself, true},
    {"aten::detach", Itself, true},
    {"aten::clone", Itself},
    {"aten::dropout", Dropout, true},
};

}  // namespace

absl::Span<const Row> ElementwiseRows() { return kRows; }

}  // namespace modelport::onnx
