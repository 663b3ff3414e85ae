// The parser of expressions, calls and signatures; expression.h holds the grammar.
#ifndef MODELPORT_COMMON_EXPRESSION_EXPRESSION_PARSER_H_
#define MODELPORT_COMMON_EXPRESSION_EXPRESSION_PARSER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/expression/expression.h"

namespace modelport {

// A piece of an expression's text.
struct ExpressionToken {
  enum class Kind { kName, kLiteral, kSymbol, kEnd };
  Kind kind;
  absl::string_view text;  // Borrowed from the tokenised text.
  size_t offset;           // Of the piece in it.
  Value literal;           // Of kLiteral.
};

// Splits `text`, which must outlive the result, into tokens; the last one is kEnd. InvalidArgument: a stray character,
// an invalid number, a string without its closing quote, a text of more than 1000 characters.
absl::StatusOr<std::vector<ExpressionToken>> TokenizeExpression(absl::string_view text);

// `text` in quotes, for a message; truncated if it is long.
std::string QuotedExpression(absl::string_view text);

// InvalidArgument: column 5 of "4 * dim +": `message`.
absl::Status ExpressionError(absl::string_view text, size_t offset, absl::string_view message);

// A node of a parsed expression.
struct Expression::Node {
  enum class Kind {
    kLiteral,
    kName,
    kCall,  // NAME(OPERANDS).
    kList,
    kIndex,  // FIRST[SECOND].
    kNegate,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,  // Without a remainder.
    kFloorDivide,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kNot,
    kAnd,
    kOr,
    kIf,  // FIRST if SECOND else THIRD.
  };

  Kind kind;
  Value literal = {};     // Of kLiteral.
  std::string name = {};  // Of kName and kCall.
  std::vector<std::shared_ptr<const Node>> operands = {};
  int height = 1;  // Of the tree below, in nodes. It is bounded, which bounds recursion over nodes.
};

class ExpressionParser {
 public:
  // `text` must outlive the parser.
  static absl::StatusOr<ExpressionParser> Create(absl::string_view text);

  // Lets expressions call functions.
  void AllowCalls() { allows_calls_ = true; }

  // Each of these must consume the whole text.
  absl::StatusOr<Expression> ParseWhole();
  absl::StatusOr<Call> ParseCall();
  absl::StatusOr<Signature> ParseSignature();

 private:
  using NodePtr = std::shared_ptr<const Expression::Node>;
  using Operator = std::pair<absl::string_view, Expression::Node::Kind>;

  ExpressionParser(absl::string_view text, std::vector<ExpressionToken> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  absl::StatusOr<Expression> ParseExpression();
  absl::StatusOr<NodePtr> ParseConditional();
  absl::StatusOr<NodePtr> ParseDisjunction();
  absl::StatusOr<NodePtr> ParseConjunction();
  absl::StatusOr<NodePtr> ParseNegation();
  absl::StatusOr<NodePtr> ParseComparison();
  absl::StatusOr<NodePtr> ParseSum();
  absl::StatusOr<NodePtr> ParseTerm();
  absl::StatusOr<NodePtr> ParseFactor();
  absl::StatusOr<NodePtr> ParsePrimary();
  // Parses what follows the opening bracket, and with it makes `node` whole.
  absl::StatusOr<NodePtr> ParseOperands(absl::string_view close, Expression::Node node);
  // Parses OPERAND {SIGN OPERAND}, which groups from left to right.
  absl::StatusOr<NodePtr> ParseOperations(absl::Span<const Operator> operators,
                                          absl::FunctionRef<absl::StatusOr<NodePtr>()> parse_operand);
  absl::optional<Expression::Node::Kind> AcceptOperator(absl::Span<const Operator> operators);
  absl::StatusOr<std::string> ParseName(absl::string_view wanted);
  absl::Status ParseArgument(Call* call);
  absl::Status ParseParameter(Signature* signature);
  // Calls `parse_item` for each item of a list separated by commas, up to and including `close`.
  absl::Status ParseItems(absl::string_view close, absl::FunctionRef<absl::Status()> parse_item);
  absl::Status ParseEnd();
  absl::StatusOr<NodePtr> MakeNode(Expression::Node node) const;

  const ExpressionToken& next() const { return tokens_[next_]; }
  // Consumes the next token and returns true if it is `symbol`.
  bool Accept(absl::string_view symbol);
  absl::Status Expect(absl::string_view symbol);
  // The error that says what is wanted next and what the next token is.
  absl::Status Wants(absl::string_view wanted) const;
  // The error for too many arguments.
  absl::Status WantsFewer() const;

  absl::string_view text_;
  std::vector<ExpressionToken> tokens_;
  size_t next_ = 0;
  int depth_ = 0;
  bool allows_calls_ = false;
};

}  // namespace modelport

#endif  // MODELPORT_COMMON_EXPRESSION_EXPRESSION_PARSER_H_
