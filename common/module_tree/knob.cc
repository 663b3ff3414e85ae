#include "common/module_tree/knob.h"

#include <cstdint>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/status/status_macros.h"

namespace modelport {
absl::StatusOr<Knob> MakeKnob(const ValueDecl& decl, const Value& value, const Scope& scope) {
  ASSIGN_OR_RETURN(const Value min, decl.knob->min.Evaluate(scope));
  ASSIGN_OR_RETURN(const Value max, decl.knob->max.Evaluate(scope));
  const absl::optional<double> number = NumberOf(value), least = NumberOf(min), greatest = NumberOf(max);
  if (!number || !least || !greatest || *number < *least || *number > *greatest) {
    return absl::InvalidArgumentError(absl::StrCat("\"", decl.name, "\" wants a number from ", ValueString(min), " to ",
                                                   ValueString(max), ", has ", ValueString(value)));
  }
  return Knob{decl.name, std::holds_alternative<int64_t>(value), *number, *least, *greatest, decl.knob->help};
}

}  // namespace modelport
