#include "registry/schema/text_patterns.h"

#include "absl/strings/str_cat.h"

namespace modelport {
namespace {

constexpr char kName[] = R"((?!(?:True|False|None|not|and|or)\b)[A-Za-z_]\w*)";

// The alternatives exclude integers with leading zeros.
constexpr char kNumber[] = R"((?:0|[1-9]\d*|\d+(?=[.eE]))(?:\.\d*)?(?:[eE][+-]?\d+)?(?![\w.]))";

// The signs and opening brackets before a value, and the closing brackets behind it.
constexpr char kBefore[] = R"((?:[-(\[]\s*|not\b\s*)*)";
constexpr char kBehind[] = R"(\s*(?:[)\]]\s*)*)";

// What stands between two values; "[" begins an index.
constexpr char kBetween[] = R"((?:[-+*,\[]|//|[=!]=|[<>]=?|and\b|or\b)\s*)";

std::string Operand() { return absl::StrCat(kBefore, "(?:", kName, "|", kNumber, R"(|"[^"]*"|\[\s*\]))", kBehind); }

}  // namespace

std::string CatalogNamePattern() { return "^[a-z0-9][a-z0-9_.-]{0,63}$"; }

std::string MemberPattern() { return R"(^(?!__|training$)[A-Za-z_]\w{0,63}$)"; }

std::string PathPattern() {
  constexpr char kPart[] = R"((?!\.\.?(?:/|$))[^/]+)";
  return absl::StrCat("^", kPart, "(?:/", kPart, ")*$");
}

std::string ExpressionPattern() { return absl::StrCat(R"(^\s*)", Operand(), "(?:", kBetween, Operand(), ")*$"); }

// The brackets behind the last argument include the one that closes the call.
std::string CallPattern() {
  const std::string argument = absl::StrCat("(?:", kName, R"(\s*=(?!=)\s*)?)", Operand());
  return absl::StrCat(R"(^(?=[\s\S]*\)\s*$)\s*)", kName, R"(\s*\(\s*(?:\)\s*|)", argument, "(?:", kBetween, argument,
                      ")*)$");
}

std::string KeyPatternPattern() {
  constexpr char kPart[] = R"((?:[^.{}]+|\{\w+\*?\}))";
  constexpr char kAtMostOneRest[] = R"((?!.*\*\}.*\*\}))";
  return absl::StrCat("^", kAtMostOneRest, kPart, R"((?:\.)", kPart, ")*$");
}

}  // namespace modelport
