#ifndef MODELPORT_COMMON_EXPRESSION_READ_EXPRESSION_H_
#define MODELPORT_COMMON_EXPRESSION_READ_EXPRESSION_H_

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/expression/expression.h"
#include "common/yaml/document.h"
#include "common/yaml/map_reader.h"
#include "common/yaml/problems.h"

namespace modelport {

// Parses the expression that `value` holds. What is wrong is added to `problems`; `subject` names the value there.
absl::optional<Expression> ReadExpression(const YamlValue& value, absl::string_view subject, YamlProblems* problems);

// The same for the field `name` of a map; nothing if it is absent.
absl::optional<Expression> TakeExpression(absl::string_view name, YamlMapReader* reader, YamlProblems* problems);

}  // namespace modelport

#endif  // MODELPORT_COMMON_EXPRESSION_READ_EXPRESSION_H_
