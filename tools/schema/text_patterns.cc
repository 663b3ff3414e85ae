#include "tools/schema/text_patterns.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "registry/plugin.h"

namespace modelport {
namespace {

constexpr char kName[] = R"((?!(?:True|False|None|not|and|or|if|else)\b)[A-Za-z_]\w*)";

// The alternatives exclude integers with leading zeros.
constexpr char kNumber[] = R"((?:0|[1-9]\d*|\d+(?=[.eE]))(?:\.\d*)?(?:[eE][+-]?\d+)?(?![\w.]))";

// The signs and opening brackets before a value, and the closing brackets behind it.
constexpr char kBefore[] = R"((?:[-(\[]\s*|not\b\s*)*)";
constexpr char kBehind[] = R"(\s*(?:[)\]]\s*)*)";

// What stands between two values; "[" begins an index.
constexpr char kBetween[] = R"((?:[-+*,\[]|//?|[=!]=|[<>]=?|and\b|or\b|if\b|else\b)\s*)";

// A value with its signs and brackets. `names` matches the names that may stand for one.
std::string Operand(absl::string_view names, absl::string_view before = kBefore) {
  return absl::StrCat(before, "(?:", names, "|", kNumber, R"(|"[^"]*"|\[\s*\]))", kBehind);
}

// A call whose arguments are operands with something between them. The brackets behind the last one include that of the
// call.
std::string CallOf(absl::string_view operand) {
  return absl::StrCat(R"(^(?=[\s\S]*\)\s*$)\s*)", kName, R"(\s*\(\s*(?:\)\s*|)", operand, "(?:", kBetween, operand,
                      ")*)$");
}

// Parts between dots, at most one of which is a {name*}.
std::string Dotted(absl::string_view part) {
  constexpr char kAtMostOneRest[] = R"((?!.*\*\}.*\*\}))";
  return absl::StrCat("^", kAtMostOneRest, part, R"((?:\.)", part, ")*$");
}

}  // namespace

std::string CatalogNamePattern() { return "^[a-z0-9][a-z0-9_.-]{0,63}$"; }

std::string MemberPattern() { return R"(^(?!__|training$)[A-Za-z_]\w{0,63}$)"; }

std::string PlacePattern() { return R"(^(?!__)[A-Za-z_]\w{0,63}\.(?!__)[A-Za-z_]\w{0,63}$)"; }

std::string PathPattern() {
  constexpr char kPart[] = R"((?!\.\.?(?:/|$))[^/]+)";
  return absl::StrCat("^", kPart, "(?:/", kPart, ")*$");
}

std::string ExpressionPattern() {
  return absl::StrCat(R"(^\s*)", Operand(kName), "(?:", kBetween, Operand(kName), ")*$");
}

std::string FileExpressionPattern() {
  // As kBefore, with the calls of functions.
  const std::string before_or_call =
      absl::StrCat(R"((?:[-(\[]\s*|not\b\s*|(?:)", absl::StrJoin(kFileFunctions, "|"), R"()\s*\(\s*)*)");
  const std::string operand = Operand(kName, before_or_call);
  return absl::StrCat(R"(^\s*)", operand, "(?:", kBetween, operand, ")*$");
}

std::string CallPattern() { return CallOf(absl::StrCat("(?:", kName, R"(\s*=(?!=)\s*)?)", Operand(kName))); }

std::string ExamplePattern() {
  return CallOf(absl::StrCat("(?:", kName, R"(\s*=(?!=)\s*)?)", Operand("(?:true|false)\\b")));
}

std::string RootExamplePattern() { return CallOf(Operand(kName)); }

std::string OperationPattern() {
  const std::string argument = R"(\s*(?:-?\d+|b?float16|float32|float64|u?int8|int16|int32|int64|bool)\s*)";
  return absl::StrCat(R"(^\s*[A-Za-z_]\w*\s*\()", argument, "(?:,", argument, R"()*\)\s*$)");
}

std::string KeyPatternPattern() { return Dotted(R"((?:[^.{}]+|\{\w+\*?\}))"); }

std::string PatternSetPattern() { return Dotted(R"((?:(?:[^.{}]|\{[^{},]+(?:,[^{},]+)+\})+|\{\w+\*?\}))"); }

}  // namespace modelport
