#include "common/expression/expression_tokens.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

using Kind = ExpressionToken::Kind;

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
  if (rest.empty()) return ExpressionToken{Kind::kEnd, rest, offset, {}};
  if (absl::ascii_isdigit(rest[0])) {
    const absl::string_view digits = TakeNumber(rest);
    const absl::optional<Value> number = ParseNumber(digits);
    if (!number.has_value()) return ExpressionError(text, offset, absl::StrCat("no valid number: ", digits));
    return ExpressionToken{Kind::kLiteral, digits, offset, *number};
  }
  if (IsWordCharacter(rest[0])) {
    const absl::string_view word = TakeWord(rest);
    if (word == "not" || word == "and" || word == "or") return ExpressionToken{Kind::kSymbol, word, offset, {}};
    if (const absl::string_view cure = CureForPython(word); !cure.empty()) {
      return ExpressionError(text, offset, absl::StrCat(word, " is Python syntax: ", cure));
    }
    if (word == "true" || word == "false") return ExpressionToken{Kind::kLiteral, word, offset, word == "true"};
    return ExpressionToken{Kind::kName, word, offset, {}};
  }
  if (rest[0] == '"') {
    const size_t close = rest.find('"', 1);
    if (close == absl::string_view::npos) return ExpressionError(text, offset, "a string without its closing quote");
    return ExpressionToken{Kind::kLiteral, rest.substr(0, close + 1), offset, std::string(rest.substr(1, close - 1))};
  }
  for (const absl::string_view sign : {"//", "==", "!=", "<=", ">="}) {
    if (absl::StartsWith(rest, sign)) return ExpressionToken{Kind::kSymbol, rest.substr(0, 2), offset, {}};
  }
  if (absl::StrContains("()[],=+-*<>", rest[0])) return ExpressionToken{Kind::kSymbol, rest.substr(0, 1), offset, {}};
  return ExpressionError(text, offset, absl::StrCat("stray character '", rest.substr(0, 1), "'"));
}

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
  } while (tokens.back().kind != Kind::kEnd);
  return tokens;
}

std::string QuotedExpression(absl::string_view text) {
  constexpr size_t kShown = 200;
  return absl::StrCat("\"", text.substr(0, kShown), text.size() > kShown ? "..." : "", "\"");
}

absl::Status ExpressionError(absl::string_view text, size_t offset, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat("column ", offset + 1, " of ", QuotedExpression(text), ": ", message));
}

}  // namespace modelport
