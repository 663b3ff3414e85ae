#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/expression/identifier.h"
#include "common/expression/read_expression.h"
#include "common/module_tree/type_parser.h"
#include "common/yaml/map_reader.h"

namespace modelport {
namespace {

using Words = std::initializer_list<absl::string_view>;

bool IsName(const Expression& expression) { return expression.names() == std::vector<std::string>{expression.text()}; }

class PortParser {
 public:
  PortParser(const YamlValue& value, absl::string_view what, YamlProblems* problems)
      : value_(value), reader_(value, absl::StrCat("an item of field \"", what, "\""), problems), problems_(problems) {}

  PortDecl ParseInput() {
    ParseCommon();
    port_.image = TakeWord("image", {"prepared", "unit", "any"});
    port_.resize = TakeWord("resize", {"shorter_side", "longer_side", "center_crop"});
    port_.size = TakeExpression("size", &reader_, problems_);
    return Finish();
  }

  PortDecl ParseOutput() {
    ParseCommon();
    port_.unit = reader_.TakeText("unit");
    port_.larger_is = TakeWord("larger_is", {"nearer", "farther"});
    port_.only_with = reader_.TakeText("only_with");
    port_.only_without = reader_.TakeText("only_without");
    port_.switched_by = TakeExpression("switched_by", &reader_, problems_);
    if (port_.switched_by.has_value() && !IsName(*port_.switched_by)) {
      problems_->Add(value_.mark, absl::StrCat("field \"switched_by\" wants the name of an argument, has \"",
                                               port_.switched_by->text(), "\""));
    }
    return Finish();
  }

 private:
  void ParseCommon() {
    port_.mark = value_.mark;
    port_.name = reader_.RequireText("name");
    if (const YamlValue* shape = reader_.Take("shape")) port_.shape = ParseShape(*shape);
    port_.dtype = TakeWord("dtype", {"float32", "bool", "int64"});
    port_.min = TakeExpression("min", &reader_, problems_);
    port_.max = TakeExpression("max", &reader_, problems_);
    port_.when = TakeExpression("when", &reader_, problems_);
    port_.help = reader_.TakeText("help");
    if (const YamlValue* as = reader_.Take("as")) ParseAs(*as);
  }

  PortDecl Finish() {
    reader_.Finish();
    return std::move(port_);
  }

  std::vector<Expression> ParseShape(const YamlValue& value) {
    std::vector<Expression> shape;
    for (const YamlValue& item : ReadItems(value, "field \"shape\"", problems_)) {
      absl::optional<Expression> size = ReadExpression(item, "field \"shape\"", problems_);
      if (size.has_value()) shape.push_back(*std::move(size));
    }
    return shape;
  }

  // CHILD.METHOD
  void ParseAs(const YamlValue& value) {
    const std::vector<std::string> parts = absl::StrSplit(ReadText(value, "field \"as\"", problems_), '.');
    if (parts.size() == 2 && CheckIdentifier(parts[0]).ok() && CheckIdentifier(parts[1]).ok()) {
      port_.as_child = parts[0];
      port_.as_method = parts[1];
    } else if (value.kind == YamlValue::Kind::kText && !value.text.empty()) {
      problems_->Add(value.mark,
                     absl::StrCat("field \"as\" wants CHILD.METHOD, such as model.forward, has \"", value.text, "\""));
    }
  }

  std::string TakeWord(absl::string_view name, Words words) {
    const YamlValue* const value = reader_.Take(name);
    if (value == nullptr) return "";
    const std::string subject = absl::StrCat("field \"", name, "\"");
    std::string word = ReadText(*value, subject, problems_);
    if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) {
      problems_->Add(value->mark,
                     absl::StrCat(subject, " wants ", absl::StrJoin(words, " or "), ", has \"", word, "\""));
    }
    return word;
  }

  const YamlValue& value_;
  YamlMapReader reader_;
  YamlProblems* problems_;
  PortDecl port_;
};

EntryPointDecl ParseEntryPoint(const YamlValue::Field& field, YamlProblems* problems) {
  EntryPointDecl entry_point{.method = field.name, .inputs = {}, .outputs = {}, .mark = field.mark};
  if (const absl::Status status = CheckIdentifier(field.name); !status.ok()) {
    problems->Add(field.mark, status.message());
  }
  YamlMapReader reader(field.value, absl::StrCat("entry point ", field.name), problems);
  entry_point.when = TakeExpression("when", &reader, problems);
  for (const YamlValue& item : reader.TakeItems("inputs")) {
    entry_point.inputs.push_back(PortParser(item, "inputs", problems).ParseInput());
  }
  if (const YamlValue* outputs = reader.Require("outputs")) {
    for (const YamlValue& item : ReadItems(*outputs, "field \"outputs\"", problems)) {
      entry_point.outputs.push_back(PortParser(item, "outputs", problems).ParseOutput());
    }
    if (outputs->kind == YamlValue::Kind::kList && outputs->items.empty()) {
      problems->Add(outputs->mark, "field \"outputs\" wants at least one item");
    }
  }
  reader.Finish();
  return entry_point;
}

// A host reads so many frames before and behind the one that it shows.
constexpr int64_t kFarthestFrame = 100;

constexpr absl::string_view kKinds[] = {"depth", "matte", "features", "colour", "scores", "normals", "flow"};

std::string ParseKind(YamlMapReader& reader, YamlProblems* problems) {
  const YamlValue* value = reader.Require("kind");
  if (value == nullptr) return "";
  std::string kind = ReadText(*value, "field \"kind\"", problems);
  if (!kind.empty() && std::count(std::begin(kKinds), std::end(kKinds), kind) == 0) {
    problems->Add(value->mark,
                  absl::StrCat("field \"kind\" wants depth, matte, features, colour, scores, normals or flow, has \"",
                               kind, "\""));
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

std::vector<int64_t> TakeFrames(YamlMapReader& reader, const InterfaceDecl& decl, YamlProblems* problems) {
  const size_t problems_before = problems->size();
  std::vector<int64_t> frames;
  for (const double frame : reader.TakeNumbers("frames")) {
    const bool is_near = frame == std::floor(frame) && std::abs(frame) <= kFarthestFrame;
    frames.push_back(is_near ? static_cast<int64_t>(frame) : 0);  // 0 a second time is reported.
  }
  if (frames.empty() || problems->size() > problems_before) return {};
  const size_t distinct = std::set<int64_t>(frames.begin(), frames.end()).size(),
               channels = decl.stated.channels_in.size();
  if (frames[0] != 0 || distinct != frames.size() || frames.size() < 2 || channels != 3 * frames.size()) {
    problems->Add(decl.mark, absl::StrCat("field \"frames\" wants 0, the frame that is shown, then other whole numbers "
                                          "from -",
                                          kFarthestFrame, " to ", kFarthestFrame,
                                          ", each once, and three of channels_in for each; there are ", frames.size(),
                                          " frames and ", channels, " channels"));
  }
  return frames;
}

void CheckArgument(const Expression& argument, const YamlMark& mark, YamlProblems* problems) {
  const absl::StatusOr<Value> value = argument.Evaluate({});
  if (!value.ok()) {
    problems->Add(mark, value.status().message());
  } else if (std::holds_alternative<TypeName>(*value)) {
    problems->Add(mark, absl::StrCat("unknown name \"", argument.text(), "\": arguments of an example are values"));
  }
}

// An example, in which what is given by name is for knobs.
Call ReadExample(const YamlValue& value, YamlProblems* problems) {
  const std::string text = ReadText(value, "an example", problems);
  absl::StatusOr<Call> parsed = text.empty() ? Call() : ParseCall(text);
  if (!parsed.ok()) problems->Add(value.mark, parsed.status().message());
  Call call = std::move(parsed).value_or(Call());
  call.place = MarkString(value.mark);
  for (const Expression& argument : call.positional) {
    if (argument.names().empty()) CheckArgument(argument, value.mark, problems);
  }
  return call;
}

std::vector<Call> ParseExamples(YamlMapReader& reader, YamlProblems* problems) {
  std::vector<Call> examples;
  const YamlValue* value = reader.Require("examples");
  if (value == nullptr) return examples;
  for (const YamlValue& item : ReadItems(*value, "field \"examples\"", problems)) {
    examples.push_back(ReadExample(item, problems));
    for (const Expression& argument : examples.back().positional) {
      if (!argument.names().empty()) CheckArgument(argument, item.mark, problems);
    }
    for (const auto& [name, knob] : examples.back().named) CheckArgument(knob, item.mark, problems);
  }
  return examples;
}

}  // namespace

std::vector<EntryPointDecl> ParseEntryPoints(const std::vector<YamlValue::Field>& methods, YamlProblems* problems) {
  std::vector<EntryPointDecl> entry_points;
  for (const YamlValue::Field& field : methods) entry_points.push_back(ParseEntryPoint(field, problems));
  return entry_points;
}

InterfaceDecl ParseInterface(const YamlValue& value, YamlProblems* problems) {
  InterfaceDecl decl;
  decl.mark = value.mark;
  const size_t problems_before = problems->size();
  YamlMapReader reader(value, "field \"interface\"", problems);
  decl.stated.kind = ParseKind(reader, problems);
  decl.stated.channels_in = TakeChannels("channels_in", reader, problems);
  decl.stated.channels_out = TakeChannels("channels_out", reader, problems);
  decl.stated.category = reader.TakeText("category");
  decl.stated.frames = TakeFrames(reader, decl, problems);
  decl.multiple_of = TakeExpression("multiple_of", &reader, problems);
  decl.scale = TakeExpression("scale", &reader, problems);
  decl.stated.examples = ParseExamples(reader, problems);
  reader.Finish();
  if (decl.stated.examples.empty() && problems->size() == problems_before) {
    problems->Add(value.mark, "field \"examples\" wants at least one item");
  }
  return decl;
}

Call ParseExample(const YamlValue& value, YamlProblems* problems) {
  Call call = ReadExample(value, problems);
  if (!call.named.empty()) problems->Add(value.mark, "an example gives its arguments by position");
  return call;
}

}  // namespace modelport
