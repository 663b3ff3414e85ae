#include "common/expression/expression_parser.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

using Kind = Expression::Node::Kind;
using Node = Expression::Node;
using TokenKind = ExpressionToken::Kind;

// Far more than a person writes. It bounds the time of an evaluation.
constexpr size_t kMaxSize = 1000;

bool IsWordCharacter(char c) { return absl::ascii_isalnum(c) || c == '_'; }

absl::string_view TakeWord(absl::string_view text) {
  return text.substr(0, std::find_if_not(text.begin(), text.end(), IsWordCharacter) - text.begin());
}

// Everything that looks like a part of the number, so that "010", "1_000" and "12px" are refused as a whole.
absl::string_view TakeNumber(absl::string_view text) {
  size_t end = 1;
  while (end < text.size()) {
    const bool is_exponent_sign = (text[end] == '+' || text[end] == '-') && absl::ascii_tolower(text[end - 1]) == 'e';
    if (!IsWordCharacter(text[end]) && text[end] != '.' && !is_exponent_sign) break;
    ++end;
  }
  return text.substr(0, end);
}

absl::optional<Value> ParseNumber(absl::string_view text) {
  if (std::all_of(text.begin(), text.end(), absl::ascii_isdigit)) {
    int64_t integer = 0;
    const bool has_leading_zero = text.size() > 1 && text[0] == '0';
    if (has_leading_zero || !absl::SimpleAtoi(text, &integer)) return absl::nullopt;
    return integer;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return absl::nullopt;
  return number;
}

// What to write instead of a Python keyword; empty for other words.
absl::string_view CureForPython(absl::string_view word) {
  if (word == "True") return "write true";
  if (word == "False") return "write false";
  return word == "None" ? "there is no null, leave the argument out or write 0" : "";
}

absl::StatusOr<ExpressionToken> NextToken(absl::string_view text, size_t offset) {
  const absl::string_view rest = text.substr(offset);
  if (rest.empty()) return ExpressionToken{TokenKind::kEnd, rest, offset, {}};
  if (absl::ascii_isdigit(rest[0])) {
    const absl::string_view digits = TakeNumber(rest);
    const absl::optional<Value> number = ParseNumber(digits);
    if (!number.has_value()) return ExpressionError(text, offset, absl::StrCat("no valid number: ", digits));
    return ExpressionToken{TokenKind::kLiteral, digits, offset, *number};
  }
  if (IsWordCharacter(rest[0])) {
    const absl::string_view word = TakeWord(rest);
    for (const absl::string_view symbol : {"not", "and", "or", "if", "else"}) {
      if (word == symbol) return ExpressionToken{TokenKind::kSymbol, word, offset, {}};
    }
    if (const absl::string_view cure = CureForPython(word); !cure.empty()) {
      return ExpressionError(text, offset, absl::StrCat(word, " is Python syntax: ", cure));
    }
    if (word == "true" || word == "false") return ExpressionToken{TokenKind::kLiteral, word, offset, word == "true"};
    return ExpressionToken{TokenKind::kName, word, offset, {}};
  }
  if (rest[0] == '"') {
    const size_t close = rest.find('"', 1);
    if (close == absl::string_view::npos) return ExpressionError(text, offset, "a string without its closing quote");
    return ExpressionToken{TokenKind::kLiteral, rest.substr(0, close + 1), offset,
                           std::string(rest.substr(1, close - 1))};
  }
  for (const absl::string_view sign : {"//", "==", "!=", "<=", ">="}) {
    if (absl::StartsWith(rest, sign)) return ExpressionToken{TokenKind::kSymbol, rest.substr(0, 2), offset, {}};
  }
  if (absl::StrContains("()[],=+-*/<>", rest[0])) {
    return ExpressionToken{TokenKind::kSymbol, rest.substr(0, 1), offset, {}};
  }
  return ExpressionError(text, offset, absl::StrCat("stray character '", rest.substr(0, 1), "'"));
}

// Far more than a person writes, far less than would exhaust the stack.
constexpr int kMaxDepth = 100;

// In one call or signature.
constexpr size_t kMaxArguments = 100;

}  // namespace

absl::StatusOr<std::vector<ExpressionToken>> TokenizeExpression(absl::string_view text) {
  if (text.size() > kMaxSize) {
    return absl::InvalidArgumentError(
        absl::StrCat(QuotedExpression(text), " has ", text.size(), " characters, wants at most ", kMaxSize));
  }
  std::vector<ExpressionToken> tokens;
  size_t offset = 0;
  do {
    while (offset < text.size() && absl::ascii_isspace(text[offset])) ++offset;
    ASSIGN_OR_RETURN(ExpressionToken token, NextToken(text, offset));
    offset += token.text.size();
    tokens.push_back(std::move(token));
  } while (tokens.back().kind != TokenKind::kEnd);
  return tokens;
}

std::string QuotedExpression(absl::string_view text) {
  constexpr size_t kShown = 200;
  return absl::StrCat("\"", text.substr(0, kShown), text.size() > kShown ? "..." : "", "\"");
}

absl::Status ExpressionError(absl::string_view text, size_t offset, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("column ", offset + 1, " of ", QuotedExpression(text), ": ", message));
}

absl::StatusOr<ExpressionParser> ExpressionParser::Create(absl::string_view text) {
  ASSIGN_OR_RETURN(std::vector<ExpressionToken> tokens, TokenizeExpression(text));
  return ExpressionParser(text, std::move(tokens));
}

absl::StatusOr<Expression> ExpressionParser::ParseWhole() {
  ASSIGN_OR_RETURN(Expression expression, ParseExpression());
  RETURN_IF_ERROR(ParseEnd());
  return expression;
}

absl::StatusOr<Call> ExpressionParser::ParseCall() {
  Call call;
  call.text = std::string(absl::StripAsciiWhitespace(text_));
  ASSIGN_OR_RETURN(call.type, ParseName("a call such as Linear(dim, 4)"));
  RETURN_IF_ERROR(Expect("("));
  RETURN_IF_ERROR(ParseItems(")", [&] { return ParseArgument(&call); }));
  RETURN_IF_ERROR(ParseEnd());
  return call;
}

absl::StatusOr<Signature> ExpressionParser::ParseSignature() {
  Signature signature;
  ASSIGN_OR_RETURN(signature.name, ParseName("a signature such as Linear(inputs, outputs)"));
  RETURN_IF_ERROR(Expect("("));
  RETURN_IF_ERROR(ParseItems(")", [&] { return ParseParameter(&signature); }));
  RETURN_IF_ERROR(ParseEnd());
  return signature;
}

absl::Status ExpressionParser::ParseArgument(Call* call) {
  if (call->positional.size() + call->named.size() == kMaxArguments) return WantsFewer();
  const bool is_named = next().kind == TokenKind::kName && tokens_[next_ + 1].text == "=";
  if (!is_named) {
    if (!call->named.empty()) return Wants("NAME=, as the argument before it has one");
    ASSIGN_OR_RETURN(Expression value, ParseExpression());
    call->positional.push_back(std::move(value));
    return absl::OkStatus();
  }
  std::string name(next().text);
  next_ += 2;
  ASSIGN_OR_RETURN(Expression value, ParseExpression());
  call->named.emplace_back(std::move(name), std::move(value));
  return absl::OkStatus();
}

absl::Status ExpressionParser::ParseParameter(Signature* signature) {
  if (signature->arguments.size() == kMaxArguments) return WantsFewer();
  const std::vector<std::string> names = signature->argument_names();
  if (std::find(names.begin(), names.end(), next().text) != names.end())
    return Wants("a name that no other argument has");
  Signature::Argument argument;
  ASSIGN_OR_RETURN(argument.name, ParseName("an argument's name"));
  if (Accept("=")) {
    ASSIGN_OR_RETURN(argument.fallback, ParseExpression());
  } else if (!signature->arguments.empty() && signature->arguments.back().fallback.has_value()) {
    return Wants("=DEFAULT, as the argument before it has one");
  }
  signature->arguments.push_back(std::move(argument));
  return absl::OkStatus();
}

absl::StatusOr<Expression> ExpressionParser::ParseExpression() {
  const size_t start = next().offset;
  ASSIGN_OR_RETURN(NodePtr root, ParseConditional());
  const absl::string_view text = text_.substr(start, next().offset - start);
  return Expression(std::string(absl::StripTrailingAsciiWhitespace(text)), std::move(root));
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::ParseConditional() {
  ASSIGN_OR_RETURN(NodePtr value, ParseDisjunction());
  if (!Accept("if")) return value;
  ASSIGN_OR_RETURN(NodePtr condition, ParseDisjunction());
  RETURN_IF_ERROR(Expect("else"));
  ASSIGN_OR_RETURN(NodePtr other, ParseConditional());
  return MakeNode({.kind = Kind::kIf, .operands = {std::move(value), std::move(condition), std::move(other)}});
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::ParseDisjunction() {
  return ParseOperations({{"or", Kind::kOr}}, [this] { return ParseConjunction(); });
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::ParseConjunction() {
  return ParseOperations({{"and", Kind::kAnd}}, [this] { return ParseNegation(); });
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::ParseNegation() {
  int negations = 0;
  while (Accept("not")) ++negations;
  ASSIGN_OR_RETURN(NodePtr node, ParseComparison());
  for (; negations > 0; --negations) {
    ASSIGN_OR_RETURN(node, MakeNode({.kind = Kind::kNot, .operands = {node}}));
  }
  return node;
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::ParseComparison() {
  constexpr Operator kComparisons[] = {{"==", Kind::kEqual},     {"!=", Kind::kNotEqual}, {"<", Kind::kLess},
                                       {"<=", Kind::kLessEqual}, {">", Kind::kGreater},   {">=", Kind::kGreaterEqual}};
  ASSIGN_OR_RETURN(NodePtr left, ParseSum());
  const absl::optional<Kind> kind = AcceptOperator(kComparisons);
  if (!kind.has_value()) return left;
  ASSIGN_OR_RETURN(NodePtr right, ParseSum());
  const size_t end = next_;
  if (AcceptOperator(kComparisons).has_value()) {
    next_ = end;
    return Wants("one comparison, or two joined by \"and\"");
  }
  return MakeNode({.kind = *kind, .operands = {std::move(left), std::move(right)}});
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::ParseSum() {
  return ParseOperations({{"+", Kind::kAdd}, {"-", Kind::kSubtract}}, [this] { return ParseTerm(); });
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::ParseTerm() {
  return ParseOperations({{"*", Kind::kMultiply}, {"/", Kind::kDivide}, {"//", Kind::kFloorDivide}},
                         [this] { return ParseFactor(); });
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::ParseFactor() {
  const absl::Cleanup leave = [this] { --depth_; };
  if (++depth_ > kMaxDepth) return Wants(absl::StrCat("at most ", kMaxDepth, " levels of nesting"));
  if (Accept("-")) {
    ASSIGN_OR_RETURN(NodePtr operand, ParseFactor());
    return MakeNode({.kind = Kind::kNegate, .operands = {std::move(operand)}});
  }
  ASSIGN_OR_RETURN(NodePtr node, ParsePrimary());
  while (Accept("[")) {
    ASSIGN_OR_RETURN(NodePtr index, ParseConditional());
    RETURN_IF_ERROR(Expect("]"));
    ASSIGN_OR_RETURN(node, MakeNode({.kind = Kind::kIndex, .operands = {node, std::move(index)}}));
  }
  return node;
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::ParsePrimary() {
  if (Accept("[")) return ParseOperands("]", {.kind = Kind::kList});
  if (Accept("(")) {
    ASSIGN_OR_RETURN(NodePtr inner, ParseConditional());
    RETURN_IF_ERROR(Expect(")"));
    return inner;
  }
  if (next().kind == TokenKind::kLiteral) {
    return MakeNode({.kind = Kind::kLiteral, .literal = tokens_[next_++].literal});
  }
  ASSIGN_OR_RETURN(std::string name, ParseName("a value"));
  if (allows_calls_ && Accept("(")) return ParseOperands(")", {.kind = Kind::kCall, .name = std::move(name)});
  return MakeNode({.kind = Kind::kName, .name = std::move(name)});
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::ParseOperations(
    absl::Span<const Operator> operators, absl::FunctionRef<absl::StatusOr<NodePtr>()> parse_operand) {
  ASSIGN_OR_RETURN(NodePtr left, parse_operand());
  while (const absl::optional<Kind> kind = AcceptOperator(operators)) {
    ASSIGN_OR_RETURN(NodePtr right, parse_operand());
    ASSIGN_OR_RETURN(left, MakeNode({.kind = *kind, .operands = {left, std::move(right)}}));
  }
  return left;
}

absl::optional<Expression::Node::Kind> ExpressionParser::AcceptOperator(absl::Span<const Operator> operators) {
  for (const auto& [sign, kind] : operators) {
    if (Accept(sign)) return kind;
  }
  return absl::nullopt;
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::ParseOperands(absl::string_view close, Node node) {
  RETURN_IF_ERROR(ParseItems(close, [&]() -> absl::Status {
    ASSIGN_OR_RETURN(NodePtr operand, ParseConditional());
    node.operands.push_back(std::move(operand));
    return absl::OkStatus();
  }));
  return MakeNode(std::move(node));
}

absl::StatusOr<std::string> ExpressionParser::ParseName(absl::string_view wanted) {
  if (next().kind != TokenKind::kName) return Wants(wanted);
  return std::string(tokens_[next_++].text);
}

absl::Status ExpressionParser::ParseItems(absl::string_view close, absl::FunctionRef<absl::Status()> parse_item) {
  if (Accept(close)) return absl::OkStatus();
  do {
    RETURN_IF_ERROR(parse_item());
  } while (Accept(","));
  return Expect(close);
}

absl::Status ExpressionParser::ParseEnd() {
  return next().kind == TokenKind::kEnd ? absl::OkStatus() : Wants("the end");
}

absl::StatusOr<ExpressionParser::NodePtr> ExpressionParser::MakeNode(Node node) const {
  for (const NodePtr& operand : node.operands) node.height = std::max(node.height, operand->height + 1);
  if (node.height > kMaxDepth) return Wants(absl::StrCat("at most ", kMaxDepth, " operations"));
  return std::make_shared<const Node>(std::move(node));
}

bool ExpressionParser::Accept(absl::string_view symbol) {
  if (next().kind != TokenKind::kSymbol || next().text != symbol) return false;
  ++next_;
  return true;
}

absl::Status ExpressionParser::Expect(absl::string_view symbol) {
  return Accept(symbol) ? absl::OkStatus() : Wants(absl::StrCat("\"", symbol, "\""));
}

absl::Status ExpressionParser::WantsFewer() const {
  return Wants(absl::StrCat("at most ", kMaxArguments, " arguments"));
}

absl::Status ExpressionParser::Wants(absl::string_view wanted) const {
  const std::string found = next().kind == TokenKind::kEnd ? "nothing" : absl::StrCat("\"", next().text, "\"");
  return ExpressionError(text_, next().offset, absl::StrCat("wants ", wanted, ", has ", found));
}

}  // namespace modelport
