#include "common/module_tree/parse_interface.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/module_tree/parse_example.h"
#include "common/yaml/map_reader.h"

namespace modelport {
namespace {

constexpr absl::string_view kKinds[] = {"depth", "matte", "features", "colour"};

std::string ParseKind(YamlMapReader& reader, YamlProblems* problems) {
  const YamlValue* value = reader.Require("kind");
  if (value == nullptr) return "";
  std::string kind = ReadText(*value, "field \"kind\"", problems);
  if (!kind.empty() && std::count(std::begin(kKinds), std::end(kKinds), kind) == 0) {
    problems->Add(value->mark,
                  absl::StrCat("field \"kind\" wants depth, matte, features or colour, has \"", kind, "\""));
  }
  return kind;
}

std::vector<Call> ParseExamples(YamlMapReader& reader, YamlProblems* problems) {
  std::vector<Call> examples;
  const YamlValue* value = reader.Require("examples");
  if (value == nullptr) return examples;
  for (const YamlValue& item : ReadItems(*value, "field \"examples\"", problems)) {
    examples.push_back(ParseExample(item, problems));
  }
  return examples;
}

absl::optional<Expression> TakeExpression(absl::string_view name, YamlMapReader& reader, YamlProblems* problems) {
  const YamlValue* value = reader.Take(name);
  if (value == nullptr) return absl::nullopt;
  const std::string text = ReadText(*value, absl::StrCat("field \"", name, "\""), problems);
  if (text.empty()) return absl::nullopt;
  absl::StatusOr<Expression> expression = Expression::Parse(text);
  if (expression.ok()) return *std::move(expression);
  problems->Add(value->mark, expression.status().message());
  return absl::nullopt;
}

}  // namespace

InterfaceDecl ParseInterface(const YamlValue& value, YamlProblems* problems) {
  InterfaceDecl decl;
  decl.mark = value.mark;
  const size_t problems_before = problems->size();
  YamlMapReader reader(value, "field \"interface\"", problems);
  decl.stated.kind = ParseKind(reader, problems);
  decl.stated.inputs = reader.RequireTexts("inputs");
  decl.stated.outputs = reader.RequireTexts("outputs");
  decl.stated.category = reader.RequireText("category");
  decl.stated.help = reader.TakeText("help");
  decl.multiple_of = TakeExpression("multiple_of", reader, problems);
  decl.larger_is_nearer = TakeExpression("larger_is_nearer", reader, problems);
  decl.stated.examples = ParseExamples(reader, problems);
  reader.Finish();
  const bool is_complete = !decl.stated.inputs.empty() && !decl.stated.outputs.empty() && !decl.stated.examples.empty();
  if (!is_complete && problems->size() == problems_before) {
    problems->Add(value.mark, "fields \"inputs\", \"outputs\" and \"examples\" want at least one item each");
  }
  return decl;
}

}  // namespace modelport
