#include "common/expression/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/expression/expression_parser.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"

namespace modelport {
namespace {

using Kind = Expression::Node::Kind;
using Node = Expression::Node;

std::string DoubleString(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  const std::string digits(buffer.data(), end);
  return digits.find_first_of(".e") == std::string::npos ? digits + ".0" : digits;
}

struct ValueWriter {
  std::string operator()(int64_t value) const { return absl::StrCat(value); }
  std::string operator()(double value) const { return DoubleString(value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(const std::string& value) const { return absl::StrCat("\"", value, "\""); }
  std::string operator()(const std::vector<int64_t>& value) const {
    return absl::StrCat("[", absl::StrJoin(value, ", "), "]");
  }
  std::string operator()(const std::vector<double>& value) const {
    const auto format = [](std::string* out, double item) { absl::StrAppend(out, DoubleString(item)); };
    return absl::StrCat("[", absl::StrJoin(value, ", ", format), "]");
  }
  std::string operator()(const TypeName& value) const { return value.name; }
};

absl::StatusOr<int64_t> Integer(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return *integer;
  return absl::InvalidArgumentError(absl::StrCat("wants an integer, has ", ValueString(value)));
}

// The sign of an operation of two integers.
absl::string_view Sign(Kind kind) {
  switch (kind) {
    case Kind::kAdd:
      return "+";
    case Kind::kSubtract:
      return "-";
    case Kind::kMultiply:
      return "*";
    case Kind::kDivide:
      return "/";
    default:
      return "//";
  }
}

absl::StatusOr<int64_t> Compute(Kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  bool overflows = false;
  switch (kind) {
    case Kind::kAdd:
      overflows = __builtin_add_overflow(a, b, &result);
      break;
    case Kind::kSubtract:
      overflows = __builtin_sub_overflow(a, b, &result);
      break;
    case Kind::kMultiply:
      overflows = __builtin_mul_overflow(a, b, &result);
      break;
    default:
      if (b == 0) return absl::InvalidArgumentError("division by zero");
      if (kind == Kind::kDivide && b != -1 && a % b != 0) {
        return absl::InvalidArgumentError(absl::StrCat(a, " / ", b, " leaves a remainder"));
      }
      overflows = a == INT64_MIN && b == -1;
      if (!overflows) result = a / b - (a % b != 0 && (a < 0) != (b < 0));
  }
  if (!overflows) return result;
  return absl::InvalidArgumentError(absl::StrCat(a, " ", Sign(kind), " ", b, " does not fit an integer of 64 bits"));
}

// What the names of an expression mean.
struct Environment {
  const Scope& scope;
  const Functions& functions;
};

absl::StatusOr<Value> EvaluateNode(const Node& node, const Environment& in);

// The value of a node that must not be a module type: a name that is not in scope is an error.
absl::StatusOr<Value> EvaluateKnown(const Node& node, const Environment& in) {
  if (node.kind == Kind::kName && in.scope.count(node.name) == 0) {
    std::vector<std::string> names;
    for (const auto& [name, value] : in.scope) names.push_back(name);
    return absl::InvalidArgumentError(absl::StrCat("unknown name \"", node.name, "\"", NearestHint(node.name, names)));
  }
  return EvaluateNode(node, in);
}

absl::StatusOr<int64_t> EvaluateInteger(const Node& node, const Environment& in) {
  ASSIGN_OR_RETURN(const Value value, EvaluateKnown(node, in));
  return Integer(value);
}

// Holds every 64-bit integer exactly.
using Number = long double;

// The items of a list, a number as the only item, or nullopt for a value of another kind.
absl::optional<std::vector<Number>> Numbers(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return {{static_cast<Number>(*integer)}};
  if (const auto* number = std::get_if<double>(&value)) return {{static_cast<Number>(*number)}};
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) return {{list->begin(), list->end()}};
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return {{list->begin(), list->end()}};
  return absl::nullopt;
}

bool IsList(const Value& value) {
  return std::holds_alternative<std::vector<int64_t>>(value) || std::holds_alternative<std::vector<double>>(value);
}

absl::StatusOr<Value> EvaluateList(const Node& node, const Environment& in) {
  std::vector<int64_t> integers;
  std::vector<double> floats;
  for (const auto& operand : node.operands) {
    ASSIGN_OR_RETURN(const Value item, EvaluateKnown(*operand, in));
    if (const auto* number = std::get_if<double>(&item)) {
      floats.push_back(*number);
      continue;
    }
    const auto* integer = std::get_if<int64_t>(&item);
    if (integer == nullptr) return absl::InvalidArgumentError(absl::StrCat("wants a number, has ", ValueString(item)));
    integers.push_back(*integer);
    floats.push_back(static_cast<double>(*integer));
  }
  if (integers.size() == floats.size()) return integers;
  return floats;
}

absl::StatusOr<Value> EvaluateIndex(const Node& node, const Environment& in) {
  ASSIGN_OR_RETURN(const Value list, EvaluateKnown(*node.operands[0], in));
  ASSIGN_OR_RETURN(const int64_t index, EvaluateInteger(*node.operands[1], in));
  if (!IsList(list)) return absl::InvalidArgumentError(absl::StrCat("wants a list, has ", ValueString(list)));
  const auto* integers = std::get_if<std::vector<int64_t>>(&list);
  const auto* floats = std::get_if<std::vector<double>>(&list);
  const int64_t size = integers != nullptr ? integers->size() : floats->size();
  if (index < -size || index >= size) {
    return absl::InvalidArgumentError(absl::StrCat("index ", index, " is out of range in ", ValueString(list)));
  }
  const int64_t place = index < 0 ? index + size : index;
  return integers != nullptr ? Value((*integers)[place]) : Value((*floats)[place]);
}

// Comparing values of different kinds is an error and not `false`, because it is a mistake of the author.
absl::StatusOr<Value> EvaluateComparison(const Node& node, const Environment& in) {
  ASSIGN_OR_RETURN(const Value left, EvaluateNode(*node.operands[0], in));
  ASSIGN_OR_RETURN(const Value right, EvaluateNode(*node.operands[1], in));
  const auto a = Numbers(left), b = Numbers(right);
  const bool are_numbers = a && b && IsList(left) == IsList(right);
  const bool is_order = node.kind != Kind::kEqual && node.kind != Kind::kNotEqual;
  if (is_order ? !are_numbers || IsList(left) : !are_numbers && left.index() != right.index()) {
    return absl::InvalidArgumentError(absl::StrCat("wants two ", is_order ? "numbers" : "values of one kind", ", has ",
                                                   ValueString(left), " and ", ValueString(right)));
  }
  switch (node.kind) {
    case Kind::kEqual:
      return are_numbers ? *a == *b : left == right;
    case Kind::kNotEqual:
      return are_numbers ? *a != *b : left != right;
    case Kind::kLess:
      return *a < *b;
    case Kind::kLessEqual:
      return *a <= *b;
    case Kind::kGreater:
      return *a > *b;
    default:
      return *a >= *b;
  }
}

absl::StatusOr<bool> EvaluateTruth(const Node& node, const Environment& in) {
  ASSIGN_OR_RETURN(const Value value, EvaluateKnown(node, in));
  if (const bool* boolean = std::get_if<bool>(&value)) return *boolean;
  ASSIGN_OR_RETURN(const int64_t integer, Integer(value));
  return integer != 0;
}

absl::StatusOr<Value> EvaluateLogic(const Node& node, const Environment& in) {
  ASSIGN_OR_RETURN(const bool left, EvaluateTruth(*node.operands[0], in));
  if (node.kind == Kind::kNot) return !left;
  if (left == (node.kind == Kind::kOr)) return left;
  ASSIGN_OR_RETURN(const bool right, EvaluateTruth(*node.operands[1], in));
  return right;
}

absl::StatusOr<Value> EvaluateIf(const Node& node, const Environment& in) {
  ASSIGN_OR_RETURN(const bool holds, EvaluateTruth(*node.operands[1], in));
  return EvaluateNode(*node.operands[holds ? 0 : 2], in);
}

absl::StatusOr<Value> EvaluateNegation(const Node& node, const Environment& in) {
  ASSIGN_OR_RETURN(const Value operand, EvaluateNode(*node.operands[0], in));
  if (const auto* number = std::get_if<double>(&operand)) return -*number;
  ASSIGN_OR_RETURN(const int64_t integer, Integer(operand));
  ASSIGN_OR_RETURN(const int64_t result, Compute(Kind::kSubtract, 0, integer));
  return result;
}

absl::StatusOr<Value> EvaluateCall(const Node& node, const Environment& in) {
  const auto function = in.functions.find(node.name);
  if (function == in.functions.end()) {
    std::vector<std::string> names;
    for (const auto& [name, call] : in.functions) names.push_back(name);
    return absl::InvalidArgumentError(
        absl::StrCat("unknown function \"", node.name, "\"", NearestHint(node.name, names)));
  }
  std::vector<Value> arguments;
  for (const auto& operand : node.operands) {
    ASSIGN_OR_RETURN(Value argument, EvaluateKnown(*operand, in));
    arguments.push_back(std::move(argument));
  }
  absl::StatusOr<Value> value = function->second(arguments);
  return value.ok() ? value : Annotate(value.status(), node.name);
}

absl::StatusOr<Value> EvaluateNode(const Node& node, const Environment& in) {
  switch (node.kind) {
    case Kind::kCall:
      return EvaluateCall(node, in);
    case Kind::kLiteral:
      return node.literal;
    case Kind::kName: {
      const auto argument = in.scope.find(node.name);
      return argument == in.scope.end() ? Value(TypeName{node.name}) : argument->second;
    }
    case Kind::kList:
      return EvaluateList(node, in);
    case Kind::kIndex:
      return EvaluateIndex(node, in);
    case Kind::kNegate:
      return EvaluateNegation(node, in);
    case Kind::kEqual:
    case Kind::kNotEqual:
    case Kind::kLess:
    case Kind::kLessEqual:
    case Kind::kGreater:
    case Kind::kGreaterEqual:
      return EvaluateComparison(node, in);
    case Kind::kNot:
    case Kind::kAnd:
    case Kind::kOr:
      return EvaluateLogic(node, in);
    case Kind::kIf:
      return EvaluateIf(node, in);
    default:
      break;
  }
  ASSIGN_OR_RETURN(const int64_t left, EvaluateInteger(*node.operands[0], in));
  ASSIGN_OR_RETURN(const int64_t right, EvaluateInteger(*node.operands[1], in));
  ASSIGN_OR_RETURN(const int64_t result, Compute(node.kind, left, right));
  return result;
}

void CollectNames(const Node& node, std::set<std::string>* names) {
  if (node.kind == Kind::kName) names->insert(node.name);
  for (const auto& operand : node.operands) CollectNames(*operand, names);
}

void CollectFunctions(const Node& node, std::set<std::string>* functions) {
  if (node.kind == Kind::kCall) functions->insert(node.name);
  for (const auto& operand : node.operands) CollectFunctions(*operand, functions);
}

void CollectComparedNames(const Node& node, std::set<std::string>* names) {
  const bool compares = node.kind == Kind::kEqual || node.kind == Kind::kNotEqual;
  for (const auto& operand : node.operands) {
    if (compares && operand->kind == Kind::kName) names->insert(operand->name);
    CollectComparedNames(*operand, names);
  }
}

// The end of a message: "; the signature is Linear(inputs, outputs, bias=1)".
std::string SignatureHint(const Signature& signature) {
  const auto append = [](std::string* text, const Signature::Argument& argument) {
    absl::StrAppend(text, argument.name);
    if (argument.fallback.has_value()) absl::StrAppend(text, "=", argument.fallback->text());
  };
  return absl::StrCat("; the signature is ", signature.name, "(", absl::StrJoin(signature.arguments, ", ", append),
                      ")");
}

std::string NearestArgument(absl::string_view name, const std::vector<std::string>& names) {
  const std::vector<std::string> nearest = Nearest(name, names);
  return nearest.empty() ? "" : absl::StrCat("; nearest: ", absl::StrJoin(nearest, ", "));
}

}  // namespace

std::string ValueString(const Value& value) { return std::visit(ValueWriter(), value); }

absl::optional<double> NumberOf(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return absl::nullopt;
}

absl::StatusOr<Expression> Expression::Parse(absl::string_view text) {
  ASSIGN_OR_RETURN(ExpressionParser parser, ExpressionParser::Create(text));
  return parser.ParseWhole();
}

absl::StatusOr<Expression> Expression::ParseWithCalls(absl::string_view text) {
  ASSIGN_OR_RETURN(ExpressionParser parser, ExpressionParser::Create(text));
  parser.AllowCalls();
  return parser.ParseWhole();
}

std::vector<std::string> Expression::names() const {
  std::set<std::string> names;
  CollectNames(*root_, &names);
  return {names.begin(), names.end()};
}

std::vector<std::string> Expression::functions() const {
  std::set<std::string> functions;
  CollectFunctions(*root_, &functions);
  return {functions.begin(), functions.end()};
}

std::vector<std::string> Expression::compared_names() const {
  std::set<std::string> names;
  CollectComparedNames(*root_, &names);
  return {names.begin(), names.end()};
}

absl::StatusOr<Value> Expression::Evaluate(const Scope& scope, const Functions& functions) const {
  absl::StatusOr<Value> value = EvaluateNode(*root_, {scope, functions});
  return value.ok() ? value : InContext(value.status());
}

absl::StatusOr<int64_t> Expression::EvaluateInt(const Scope& scope) const {
  absl::StatusOr<int64_t> value = EvaluateInteger(*root_, {scope, {}});
  return value.ok() ? value : InContext(value.status());
}

absl::StatusOr<bool> Expression::EvaluateCondition(const Scope& scope) const {
  absl::StatusOr<bool> value = EvaluateTruth(*root_, {scope, {}});
  return value.ok() ? value : InContext(value.status());
}

absl::StatusOr<Expression> Expression::Bind(const Scope& scope) const {
  const std::vector<std::string> all = names();
  if (std::all_of(all.begin(), all.end(), [&](const std::string& name) { return scope.count(name) > 0; })) {
    ASSIGN_OR_RETURN(const Value value, Evaluate(scope));
    return Parse(ValueString(value));
  }
  ASSIGN_OR_RETURN(const std::vector<ExpressionToken> tokens, TokenizeExpression(text_));
  std::string bound;
  size_t end = 0;  // Of the text that is copied to `bound`.
  for (const ExpressionToken& token : tokens) {
    const auto value = token.kind == ExpressionToken::Kind::kName ? scope.find(token.text) : scope.end();
    if (value == scope.end()) continue;
    absl::StrAppend(&bound, text_.substr(end, token.offset - end), ValueString(value->second));
    end = token.offset + token.text.size();
  }
  return Parse(absl::StrCat(bound, text_.substr(end)));
}

absl::Status Expression::InContext(const absl::Status& error) const {
  return root_->operands.empty() ? error : Annotate(error, QuotedExpression(text_));
}

absl::StatusOr<Call> ParseCall(absl::string_view text) {
  ASSIGN_OR_RETURN(ExpressionParser parser, ExpressionParser::Create(text));
  return parser.ParseCall();
}

std::vector<std::string> Signature::argument_names() const {
  std::vector<std::string> names;
  for (const Argument& argument : arguments) names.push_back(argument.name);
  return names;
}

absl::StatusOr<Signature> ParseSignature(absl::string_view text) {
  ASSIGN_OR_RETURN(ExpressionParser parser, ExpressionParser::Create(text));
  return parser.ParseSignature();
}

absl::StatusOr<std::vector<const Expression*>> MatchArguments(const Signature& callee, const Call& call) {
  if (call.positional.size() > callee.arguments.size()) {
    return absl::InvalidArgumentError(absl::StrCat(callee.name, " wants ", callee.arguments.size(), " arguments, has ",
                                                   call.positional.size(), SignatureHint(callee)));
  }
  std::vector<const Expression*> given(callee.arguments.size());
  for (size_t i = 0; i < call.positional.size(); ++i) given[i] = &call.positional[i];
  const std::vector<std::string> names = callee.argument_names();
  for (const auto& [name, value] : call.named) {
    const size_t i = std::find(names.begin(), names.end(), name) - names.begin();
    if (i == names.size()) {
      return absl::InvalidArgumentError(absl::StrCat(callee.name, " has no argument \"", name, "\"",
                                                     NearestArgument(name, names), SignatureHint(callee)));
    }
    if (given[i] != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(callee.name, " is given its argument \"", name, "\" twice"));
    }
    given[i] = &value;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] == nullptr && !callee.arguments[i].fallback.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(callee.name, " lacks argument \"", names[i], "\"", SignatureHint(callee)));
    }
  }
  return given;
}

absl::StatusOr<Scope> BindArguments(const Signature& callee, const Call& call, const Scope& caller) {
  ASSIGN_OR_RETURN(const std::vector<const Expression*> given, MatchArguments(callee, call));
  Scope scope;
  for (size_t i = 0; i < given.size(); ++i) {
    const Signature::Argument& argument = callee.arguments[i];
    const absl::StatusOr<Value> value =
        given[i] != nullptr ? given[i]->Evaluate(caller) : argument.fallback->Evaluate(scope);
    if (!value.ok()) {
      return Annotate(value.status(), absl::StrCat("argument \"", argument.name, "\" of ", callee.name));
    }
    scope.emplace(argument.name, *value);
  }
  return scope;
}

absl::StatusOr<Value> ReadArgument(absl::string_view text, const Value& now) {
  ASSIGN_OR_RETURN(const Expression expression, Expression::Parse(text));
  ASSIGN_OR_RETURN(Value value, expression.Evaluate(Scope()));
  const auto* const integer = std::get_if<int64_t>(&value);
  if (integer != nullptr && std::holds_alternative<double>(now)) value = static_cast<double>(*integer);
  if (value.index() == now.index()) return value;
  return absl::InvalidArgumentError(absl::StrCat("wants a value as ", ValueString(now), ", has ", ValueString(value)));
}

std::string TextOfCall(const Signature& callee, const Call& call, const std::map<std::string, std::string>& changed) {
  std::map<std::string, std::string> texts(changed);
  for (size_t i = 0; i < call.positional.size() && i < callee.arguments.size(); ++i) {
    texts.emplace(callee.arguments[i].name, call.positional[i].text());
  }
  for (const auto& [name, argument] : call.named) texts.emplace(name, argument.text());
  std::vector<std::string> arguments;
  for (const std::string& name : callee.argument_names()) {
    const auto text = texts.find(name);
    if (text != texts.end()) arguments.push_back(absl::StrCat(name, "=", text->second));
  }
  return absl::StrCat(call.type, "(", absl::StrJoin(arguments, ", "), ")");
}

}  // namespace modelport
