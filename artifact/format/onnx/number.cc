#include "artifact/format/onnx/number.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace modelport::onnx {

struct Number::Node {
  NumberType type;
  NumberOp op;
  std::vector<Number> arguments = {};
  std::string text = {};
  Terms terms = {};  // Of a sum.
  // Of a constant.
  int64_t integer = 0;
  double real = 0;
  bool truth = false;
};

namespace {

struct OpFacts {
  NumberOp op;
  absl::string_view name;
  absl::optional<NumberType> type;  // None: that of the last argument.
};

constexpr OpFacts kOps[] = {
    {NumberOp::kFloorDiv, "div", NumberType::kInt},  {NumberOp::kMod, "mod", NumberType::kInt},
    {NumberOp::kMax, "max", absl::nullopt},          {NumberOp::kMin, "min", absl::nullopt},
    {NumberOp::kAdd, "add", NumberType::kFloat},     {NumberOp::kSub, "sub", NumberType::kFloat},
    {NumberOp::kMul, "mul", NumberType::kFloat},     {NumberOp::kDiv, "ratio", NumberType::kFloat},
    {NumberOp::kPow, "pow", NumberType::kFloat},     {NumberOp::kSqrt, "sqrt", NumberType::kFloat},
    {NumberOp::kFloor, "floor", NumberType::kInt},   {NumberOp::kCeil, "ceil", NumberType::kInt},
    {NumberOp::kRound, "round", NumberType::kFloat}, {NumberOp::kToFloat, "float", NumberType::kFloat},
    {NumberOp::kToInt, "int", NumberType::kInt},     {NumberOp::kEqual, "equal", NumberType::kBool},
    {NumberOp::kLess, "less", NumberType::kBool},    {NumberOp::kAnd, "and", NumberType::kBool},
    {NumberOp::kOr, "or", NumberType::kBool},        {NumberOp::kNot, "not", NumberType::kBool},
    {NumberOp::kWhere, "where", absl::nullopt},
};

const OpFacts& FactsOf(NumberOp op) {
  return *std::find_if(std::begin(kOps), std::end(kOps), [&](const OpFacts& facts) { return facts.op == op; });
}

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

std::string TermText(const std::vector<Number>& factors, int64_t scale) {
  std::vector<std::string> texts;
  if (scale != 1 || factors.empty()) texts.push_back(absl::StrCat(scale));
  for (const Number& factor : factors) texts.push_back(factor.text());
  return absl::StrJoin(texts, "*");
}

std::string TermsText(const Terms& terms) {
  std::string text;
  for (const auto& [factors, scale] : terms) {
    if (text.empty()) {
      text = TermText(factors, scale);
    } else {
      absl::StrAppend(&text, scale < 0 ? " - " : " + ", TermText(factors, std::abs(scale)));
    }
  }
  return text;
}

// `number` divided by the integer `divisor`: the terms that it divides, divided, and the rest.
std::pair<Terms, Terms> SplitTerms(const Number& number, int64_t divisor) {
  Terms whole, rest;
  for (const auto& [factors, scale] : number.terms()) {
    if (scale % divisor == 0) {
      whole[factors] = scale / divisor;
    } else {
      rest[factors] = scale;
    }
  }
  return {whole, rest};
}

// `number` divided by a single product, `divisor`; nothing unless that divides each of its terms.
absl::optional<Number> DividedBy(const Number& number, const Number& divisor) {
  const Terms product = divisor.terms();
  if (product.size() != 1) return absl::nullopt;
  const auto& [divisors, whole] = *product.begin();
  Terms result;
  for (const auto& [factors, scale] : number.terms()) {
    std::vector<Number> left = factors;
    for (const Number& factor : divisors) {
      const auto found = std::find(left.begin(), left.end(), factor);
      if (found == left.end()) return absl::nullopt;
      left.erase(found);
    }
    if (scale % whole != 0) return absl::nullopt;
    result[left] = scale / whole;
  }
  return Number::OfTerms(result);
}

Number Make(NumberOp op, const std::vector<Number>& arguments) { return Number::Of(op, arguments); }

bool IsFloat(const Number& a, const Number& b) {
  return a.type() == NumberType::kFloat || b.type() == NumberType::kFloat;
}

Number Product(const Number& a, const Number& b) {
  Terms terms;
  for (const auto& [left, left_scale] : a.terms()) {
    for (const auto& [right, right_scale] : b.terms()) {
      std::vector<Number> factors = left;
      factors.insert(factors.end(), right.begin(), right.end());
      std::sort(factors.begin(), factors.end());
      terms[factors] += left_scale * right_scale;
    }
  }
  return Number::OfTerms(terms);
}

Number Sum(const Number& a, const Number& b, int64_t scale) {
  Terms terms = a.terms();
  for (const auto& [factors, factor] : b.terms()) terms[factors] += scale * factor;
  return Number::OfTerms(terms);
}

}  // namespace

Number::Number(int64_t value)
    : node_(std::make_shared<Node>(
          Node{.type = NumberType::kInt, .op = NumberOp::kConstant, .text = absl::StrCat(value), .integer = value})) {}

Number::Number(double value)
    : node_(std::make_shared<Node>(Node{.type = NumberType::kFloat,
                                        .op = NumberOp::kConstant,
                                        .text = absl::StrFormat("%.17gf", value),
                                        .real = value})) {}

Number::Number(bool value)
    : node_(std::make_shared<Node>(Node{
          .type = NumberType::kBool, .op = NumberOp::kConstant, .text = value ? "true" : "false", .truth = value})) {}

Number Number::Symbol(std::string name) {
  return Number(
      std::make_shared<Node>(Node{.type = NumberType::kInt, .op = NumberOp::kSymbol, .text = std::move(name)}));
}

Number Number::Argument(std::string name) {
  return Number(
      std::make_shared<Node>(Node{.type = NumberType::kInt, .op = NumberOp::kArgument, .text = std::move(name)}));
}

NumberType Number::type() const { return node_->type; }
NumberOp Number::op() const { return node_->op; }
const std::vector<Number>& Number::arguments() const { return node_->arguments; }
const std::string& Number::text() const { return node_->text; }

absl::optional<int64_t> Number::AsInt() const {
  return is_constant() && type() == NumberType::kInt ? absl::make_optional(node_->integer) : absl::nullopt;
}

absl::optional<double> Number::AsFloat() const {
  return is_constant() && type() == NumberType::kFloat ? absl::make_optional(node_->real) : absl::nullopt;
}

absl::optional<bool> Number::AsBool() const {
  return is_constant() && type() == NumberType::kBool ? absl::make_optional(node_->truth) : absl::nullopt;
}

Terms Number::terms() const {
  if (op() == NumberOp::kSum) return node_->terms;
  if (const absl::optional<int64_t> value = AsInt()) return *value == 0 ? Terms() : Terms{{{}, *value}};
  return {{{*this}, 1}};
}

Number Number::OfTerms(const Terms& terms) {
  Terms kept;
  for (const auto& [factors, scale] : terms) {
    if (scale != 0) kept[factors] = scale;
  }
  if (kept.empty()) return Number(int64_t{0});
  const auto& [factors, scale] = *kept.begin();
  if (kept.size() == 1 && factors.empty()) return Number(scale);
  if (kept.size() == 1 && factors.size() == 1 && scale == 1) return factors[0];
  const std::string text = TermsText(kept);
  return Number(std::make_shared<Node>(
      Node{.type = NumberType::kInt, .op = NumberOp::kSum, .text = text, .terms = std::move(kept)}));
}

// Constants are computed by who calls; here they only are arguments, except in what the operators below simplify.
Number Number::Of(NumberOp op, std::vector<Number> arguments) {
  const OpFacts& facts = FactsOf(op);
  std::vector<std::string> texts;
  for (const Number& argument : arguments) texts.push_back(argument.text());
  std::string text = absl::StrCat(facts.name, "(", absl::StrJoin(texts, ", "), ")");
  const NumberType type = facts.type.value_or(arguments.back().type());
  return Number(
      std::make_shared<Node>(Node{.type = type, .op = op, .arguments = std::move(arguments), .text = std::move(text)}));
}

Number ToFloat(const Number& a) {
  if (a.type() == NumberType::kFloat) return a;
  if (a.AsInt()) return Number(static_cast<double>(*a.AsInt()));
  return Make(NumberOp::kToFloat, {a});
}

Number operator+(const Number& a, const Number& b) {
  if (!IsFloat(a, b)) return Sum(a, b, 1);
  const Number left = ToFloat(a), right = ToFloat(b);
  if (left.AsFloat() && right.AsFloat()) return Number(*left.AsFloat() + *right.AsFloat());
  return Make(NumberOp::kAdd, {left, right});
}

Number operator-(const Number& a, const Number& b) {
  if (!IsFloat(a, b)) return Sum(a, b, -1);
  const Number left = ToFloat(a), right = ToFloat(b);
  if (left.AsFloat() && right.AsFloat()) return Number(*left.AsFloat() - *right.AsFloat());
  return Make(NumberOp::kSub, {left, right});
}

Number operator-(const Number& a) { return Number(int64_t{0}) - a; }

Number operator*(const Number& a, const Number& b) {
  if (!IsFloat(a, b)) return Product(a, b);
  const Number left = ToFloat(a), right = ToFloat(b);
  if (left.AsFloat() && right.AsFloat()) return Number(*left.AsFloat() * *right.AsFloat());
  return Make(NumberOp::kMul, {left, right});
}

Number TrueDiv(const Number& a, const Number& b) {
  const Number left = ToFloat(a), right = ToFloat(b);
  if (left.AsFloat() && right.AsFloat()) return Number(*left.AsFloat() / *right.AsFloat());
  return Make(NumberOp::kDiv, {left, right});
}

absl::optional<int64_t> Multiple(const Number& a, const Number& b) {
  const Terms product = a.terms(), factor = b.terms();
  if (product.size() != factor.size() || product.empty()) return absl::nullopt;
  const int64_t scale = product.begin()->second / factor.begin()->second;
  return b * Number(scale) == a ? absl::make_optional(scale) : absl::nullopt;
}

Number FloorDiv(const Number& a, const Number& b) {
  const absl::optional<int64_t> divisor = b.AsInt();
  if (divisor && *divisor != 0) {
    if (a.AsInt()) return Number(FloorDivide(*a.AsInt(), *divisor));
    const auto [whole, rest] = SplitTerms(a, *divisor);
    const Number left = Number::OfTerms(rest);
    if (left.AsInt()) return Number::OfTerms(whole) + Number(FloorDivide(*left.AsInt(), *divisor));
    return Number::OfTerms(whole) + Make(NumberOp::kFloorDiv, {left, b});
  }
  if (const absl::optional<Number> quotient = DividedBy(a, b)) return *quotient;
  if (const absl::optional<int64_t> multiple = Multiple(a, b)) return Number(*multiple);
  return Make(NumberOp::kFloorDiv, {a, b});
}

Number StepsOf(const Number& start, const Number& end, int64_t step) {
  const int64_t size = std::abs(step);
  const Number reach = step > 0 ? end - start : start - end;
  return FloorDiv(reach + Number(size - 1), Number(size));
}

Number Mod(const Number& a, const Number& b) {
  const absl::optional<int64_t> divisor = b.AsInt();
  if (!divisor || *divisor == 0) return Make(NumberOp::kMod, {a, b});
  const Number rest = Number::OfTerms(SplitTerms(a, *divisor).second);
  if (!rest.AsInt()) return Make(NumberOp::kMod, {rest, b});
  return Number(*rest.AsInt() - *divisor * FloorDivide(*rest.AsInt(), *divisor));
}

absl::optional<int64_t> LowerBound(const Number& number) {
  if (number.AsInt()) return number.AsInt();
  if (number.type() != NumberType::kInt) return absl::nullopt;
  const std::vector<Number>& arguments = number.arguments();
  switch (number.op()) {
    case NumberOp::kSymbol:
      return 1;
    case NumberOp::kSum: {
      int64_t sum = 0;
      for (const auto& [factors, scale] : number.terms()) {
        int64_t product = scale;
        for (const Number& factor : factors) {
          const absl::optional<int64_t> least = LowerBound(factor);
          if (!least || *least < 0 || scale < 0) return absl::nullopt;
          product *= *least;
        }
        sum += product;
      }
      return sum;
    }
    case NumberOp::kFloorDiv: {
      const absl::optional<int64_t> least = LowerBound(arguments[0]), divisor = LowerBound(arguments[1]);
      if (!least || *least < 0 || !divisor || *divisor < 1) return absl::nullopt;
      return arguments[1].AsInt() ? *least / *divisor : 0;
    }
    case NumberOp::kMod:
      return LowerBound(arguments[1]).value_or(0) > 0 ? absl::make_optional<int64_t>(0) : absl::nullopt;
    case NumberOp::kMax: {
      const absl::optional<int64_t> a = LowerBound(arguments[0]), b = LowerBound(arguments[1]);
      return a && b ? std::max(*a, *b) : a ? a : b;
    }
    case NumberOp::kMin:
    case NumberOp::kWhere: {
      const size_t first = number.op() == NumberOp::kWhere ? 1 : 0;
      const absl::optional<int64_t> a = LowerBound(arguments[first]), b = LowerBound(arguments[first + 1]);
      return a && b ? absl::make_optional(std::min(*a, *b)) : absl::nullopt;
    }
    default:
      return absl::nullopt;
  }
}

namespace {

// Whether `whole` is the operation `op` of `part` and another number: of max(a, min(a, c)) and min(a, max(a, c)) only a
// is left.
bool Has(const Number& whole, NumberOp op, const Number& part) {
  return whole.op() == op && (whole.arguments()[0] == part || whole.arguments()[1] == part);
}

}  // namespace

Number Max(const Number& a, const Number& b) {
  if (IsFloat(a, b)) {
    const Number left = ToFloat(a), right = ToFloat(b);
    if (left.AsFloat() && right.AsFloat()) return Number(std::max(*left.AsFloat(), *right.AsFloat()));
    return Make(NumberOp::kMax, {left, right});
  }
  if (LowerBound(a - b).value_or(-1) >= 0) return a;
  if (LowerBound(b - a).value_or(-1) >= 0) return b;
  if (Has(b, NumberOp::kMin, a)) return a;
  if (Has(a, NumberOp::kMin, b)) return b;
  return Make(NumberOp::kMax, {a, b});
}

Number Min(const Number& a, const Number& b) {
  if (IsFloat(a, b)) {
    const Number left = ToFloat(a), right = ToFloat(b);
    if (left.AsFloat() && right.AsFloat()) return Number(std::min(*left.AsFloat(), *right.AsFloat()));
    return Make(NumberOp::kMin, {left, right});
  }
  if (LowerBound(a - b).value_or(-1) >= 0) return b;
  if (LowerBound(b - a).value_or(-1) >= 0) return a;
  if (Has(b, NumberOp::kMax, a)) return a;
  if (Has(a, NumberOp::kMax, b)) return b;
  return Make(NumberOp::kMin, {a, b});
}

Number Equal(const Number& a, const Number& b) {
  if (a == b) return Number(true);
  if (a.is_constant() && b.is_constant() && a.type() == b.type()) return Number(false);
  if (!IsFloat(a, b) && a.type() == NumberType::kInt) {
    if (LowerBound(a - b).value_or(0) > 0 || LowerBound(b - a).value_or(0) > 0) return Number(false);
    return Make(NumberOp::kEqual, {a, b});
  }
  if (a.type() == NumberType::kBool) return Make(NumberOp::kEqual, {a, b});
  const Number left = ToFloat(a), right = ToFloat(b);
  if (left.AsFloat() && right.AsFloat()) return Number(*left.AsFloat() == *right.AsFloat());
  return Make(NumberOp::kEqual, {left, right});
}

Number Less(const Number& a, const Number& b) {
  if (!IsFloat(a, b)) {
    if (LowerBound(b - a).value_or(0) > 0) return Number(true);
    if (LowerBound(a - b).value_or(-1) >= 0) return Number(false);
    return Make(NumberOp::kLess, {a, b});
  }
  const Number left = ToFloat(a), right = ToFloat(b);
  if (left.AsFloat() && right.AsFloat()) return Number(*left.AsFloat() < *right.AsFloat());
  return Make(NumberOp::kLess, {left, right});
}

Number Not(const Number& a) {
  if (a.AsBool()) return Number(!*a.AsBool());
  if (a.op() == NumberOp::kNot) return a.arguments()[0];
  return Make(NumberOp::kNot, {a});
}

Number And(const Number& a, const Number& b) {
  if (a.AsBool()) return *a.AsBool() ? b : a;
  if (b.AsBool()) return *b.AsBool() ? a : b;
  return a == b ? a : Make(NumberOp::kAnd, {a, b});
}

Number Or(const Number& a, const Number& b) {
  if (a.AsBool()) return *a.AsBool() ? a : b;
  if (b.AsBool()) return *b.AsBool() ? b : a;
  return a == b ? a : Make(NumberOp::kOr, {a, b});
}

Number Where(const Number& condition, const Number& a, const Number& b) {
  if (condition.AsBool()) return *condition.AsBool() ? a : b;
  if (a == b) return a;
  if (a.type() == NumberType::kBool) return Or(And(condition, a), And(Not(condition), b));
  if (IsFloat(a, b)) return Make(NumberOp::kWhere, {condition, ToFloat(a), ToFloat(b)});
  return Make(NumberOp::kWhere, {condition, a, b});
}

namespace {

// The number of the operation `op` of `arguments`, simplified.
Number Rebuild(NumberOp op, const std::vector<Number>& arguments) {
  switch (op) {
    case NumberOp::kFloorDiv:
      return FloorDiv(arguments[0], arguments[1]);
    case NumberOp::kMod:
      return Mod(arguments[0], arguments[1]);
    case NumberOp::kMax:
      return Max(arguments[0], arguments[1]);
    case NumberOp::kMin:
      return Min(arguments[0], arguments[1]);
    case NumberOp::kAdd:
      return arguments[0] + arguments[1];
    case NumberOp::kSub:
      return arguments[0] - arguments[1];
    case NumberOp::kMul:
      return arguments[0] * arguments[1];
    case NumberOp::kDiv:
      return TrueDiv(arguments[0], arguments[1]);
    case NumberOp::kToFloat:
      return ToFloat(arguments[0]);
    case NumberOp::kEqual:
      return Equal(arguments[0], arguments[1]);
    case NumberOp::kLess:
      return Less(arguments[0], arguments[1]);
    case NumberOp::kAnd:
      return And(arguments[0], arguments[1]);
    case NumberOp::kOr:
      return Or(arguments[0], arguments[1]);
    case NumberOp::kNot:
      return Not(arguments[0]);
    case NumberOp::kWhere:
      return Where(arguments[0], arguments[1], arguments[2]);
    default:
      return Make(op, arguments);
  }
}

}  // namespace

Number Facts::Apply(const Number& number) const {
  if (known_.empty() || number.is_constant()) return number;
  if (const auto found = known_.find(number.text()); found != known_.end()) return Apply(found->second);
  if (number.op() == NumberOp::kSymbol || number.op() == NumberOp::kArgument) return number;
  if (number.op() == NumberOp::kSum) {
    Number sum;
    for (const auto& [factors, scale] : number.terms()) {
      Number product(scale);
      for (const Number& factor : factors) product = product * Apply(factor);
      sum = sum + product;
    }
    return sum;
  }
  std::vector<Number> arguments;
  for (const Number& argument : number.arguments()) arguments.push_back(Apply(argument));
  const Number rebuilt = Rebuild(number.op(), arguments);
  return known_.count(rebuilt.text()) > 0 ? Apply(rebuilt) : rebuilt;
}

void Facts::Assume(const Number& condition) {
  const Number known = Apply(condition);
  if (known.op() == NumberOp::kAnd) {
    for (const Number& argument : known.arguments()) Assume(argument);
    return;
  }
  if (known.op() == NumberOp::kNot && known.arguments()[0].op() == NumberOp::kOr) {
    for (const Number& argument : known.arguments()[0].arguments()) Assume(Not(argument));
    return;
  }
  if (known.op() != NumberOp::kEqual) return;
  Number left = known.arguments()[0], right = known.arguments()[1];
  if (left.is_constant()) std::swap(left, right);
  if (!right.AsInt()) {
    // Two sizes that are equal: a sum is what equals it.
    if (left.op() != NumberOp::kSum) std::swap(left, right);
    // A number is never said to be what contains it.
    if (left.op() == NumberOp::kSum && !absl::StrContains(right.text(), left.text())) known_[left.text()] = right;
    return;
  }
  known_[left.text()] = right;
  if (left.op() != NumberOp::kMod || *right.AsInt() != 0) return;
  const Number& whole = left.arguments()[0];
  const absl::optional<int64_t> divisor = left.arguments()[1].AsInt();
  if (whole.op() != NumberOp::kSymbol || !divisor) return;
  // A letter of the other case: h for H. A symbol that has one already is no whole letter, and h may be another size.
  std::string name = absl::AsciiStrToLower(whole.text());
  if (name == whole.text() || units_.count(name) > 0 || kept_.count(name) > 0)
    name = absl::StrCat(whole.text(), "_by_", *divisor);
  const Number unit = Number::Symbol(name);
  units_[name] = {whole, *divisor};
  known_[whole.text()] = unit * Number(*divisor);
}

}  // namespace modelport::onnx
