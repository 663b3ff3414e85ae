#ifndef MODELPORT_COMMON_EXPRESSION_EXPRESSION_TOKENS_H_
#define MODELPORT_COMMON_EXPRESSION_EXPRESSION_TOKENS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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

}  // namespace modelport

#endif  // MODELPORT_COMMON_EXPRESSION_EXPRESSION_TOKENS_H_
