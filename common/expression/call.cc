#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/expression/expression.h"
#include "common/expression/expression_parser.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"

namespace modelport {

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

namespace {

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

}  // namespace modelport
