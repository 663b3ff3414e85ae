#include "common/expression/read_expression.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace modelport {

absl::optional<Expression> ReadExpression(const YamlValue& value, absl::string_view subject, YamlProblems* problems) {
  const std::string text = ReadText(value, subject, problems);
  if (text.empty()) return absl::nullopt;
  absl::StatusOr<Expression> expression = Expression::Parse(text);
  if (expression.ok()) return *std::move(expression);
  problems->Add(value.mark, expression.status().message());
  return absl::nullopt;
}

absl::optional<Expression> TakeExpression(absl::string_view name, YamlMapReader* reader, YamlProblems* problems) {
  const YamlValue* const value = reader->Take(name);
  if (value == nullptr) return absl::nullopt;
  return ReadExpression(*value, absl::StrCat("field \"", name, "\""), problems);
}

}  // namespace modelport
