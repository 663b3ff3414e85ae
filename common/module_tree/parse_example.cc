#include <string>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "common/module_tree/type_parser.h"
#include "common/yaml/map_reader.h"

namespace modelport {
namespace {

void CheckArgument(const Expression& argument, const YamlMark& mark, YamlProblems* problems) {
  const absl::StatusOr<Value> value = argument.Evaluate({});
  if (!value.ok()) {
    problems->Add(mark, value.status().message());
  } else if (std::holds_alternative<TypeName>(*value)) {
    problems->Add(mark, absl::StrCat("unknown name \"", argument.text(), "\": arguments of an example are values"));
  }
}

}  // namespace

Call ParseExample(const YamlValue& value, YamlProblems* problems) {
  const std::string text = ReadText(value, "an example", problems);
  absl::StatusOr<Call> parsed = text.empty() ? Call() : ParseCall(text);
  if (!parsed.ok()) problems->Add(value.mark, parsed.status().message());
  Call call = std::move(parsed).value_or(Call());
  call.place = MarkString(value.mark);
  if (!call.named.empty()) problems->Add(value.mark, "an example gives its arguments by position");
  for (const Expression& argument : call.positional) CheckArgument(argument, value.mark, problems);
  return call;
}

}  // namespace modelport
