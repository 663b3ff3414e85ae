#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/expression/read_expression.h"
#include "common/module_tree/type_parser.h"
#include "common/yaml/map_reader.h"

namespace modelport {
namespace {

constexpr absl::string_view kKinds[] = {"depth", "matte", "features", "colour", "scores", "normals"};

std::string ParseKind(YamlMapReader& reader, YamlProblems* problems) {
  const YamlValue* value = reader.Require("kind");
  if (value == nullptr) return "";
  std::string kind = ReadText(*value, "field \"kind\"", problems);
  if (!kind.empty() && std::count(std::begin(kKinds), std::end(kKinds), kind) == 0) {
    problems->Add(
        value->mark,
        absl::StrCat("field \"kind\" wants depth, matte, features, colour, scores or normals, has \"", kind, "\""));
  }
  return kind;
}

std::vector<std::string> TakeChannels(absl::string_view name, YamlMapReader& reader, YamlProblems* problems) {
  const YamlValue* value = reader.Take(name);
  if (value == nullptr) return {};
  const std::string subject = absl::StrCat("field \"", name, "\"");
  std::vector<std::string> channels = ReadTexts(*value, subject, problems);
  if (value->kind == YamlValue::Kind::kList && channels.empty()) {
    problems->Add(value->mark, absl::StrCat(subject, " wants at least one item"));
  }
  return channels;
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

}  // namespace

InterfaceDecl ParseInterface(const YamlValue& value, YamlProblems* problems) {
  InterfaceDecl decl;
  decl.mark = value.mark;
  const size_t problems_before = problems->size();
  YamlMapReader reader(value, "field \"interface\"", problems);
  decl.stated.kind = ParseKind(reader, problems);
  decl.stated.channels_in = TakeChannels("channels_in", reader, problems);
  decl.stated.channels_out = TakeChannels("channels_out", reader, problems);
  decl.stated.category = reader.TakeText("category");
  decl.multiple_of = TakeExpression("multiple_of", &reader, problems);
  decl.stated.examples = ParseExamples(reader, problems);
  reader.Finish();
  if (decl.stated.examples.empty() && problems->size() == problems_before) {
    problems->Add(value.mark, "field \"examples\" wants at least one item");
  }
  return decl;
}

}  // namespace modelport
