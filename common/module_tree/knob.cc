#include "common/module_tree/knob.h"

#include <cstdint>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

absl::optional<double> Number(const Value& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return absl::nullopt;
}

}  // namespace

absl::StatusOr<Knob> MakeKnob(const ValueDecl& decl, const Value& value, const Scope& scope) {
  ASSIGN_OR_RETURN(const Value min, decl.knob->min.Evaluate(scope));
  ASSIGN_OR_RETURN(const Value max, decl.knob->max.Evaluate(scope));
  const absl::optional<double> number = Number(value), least = Number(min), greatest = Number(max);
  if (!number || !least || !greatest || *number < *least || *number > *greatest) {
    return absl::InvalidArgumentError(absl::StrCat("\"", decl.name, "\" wants a number from ", ValueString(min), " to ",
                                                   ValueString(max), ", has ", ValueString(value)));
  }
  return Knob{decl.name, std::holds_alternative<int64_t>(value), *number, *least, *greatest, decl.knob->help};
}

}  // namespace modelport
