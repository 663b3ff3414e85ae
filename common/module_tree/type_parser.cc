#include "common/module_tree/type_parser.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/expression/identifier.h"
#include "common/expression/read_expression.h"
#include "common/yaml/map_reader.h"

namespace modelport {
namespace {

using Kind = YamlValue::Kind;

std::string Quoted(absl::string_view name) { return absl::StrCat("\"", name, "\""); }

}  // namespace

ModuleType TypeParser::Parse(const YamlValue::Field& field) {
  ModuleType type;
  type.mark = field.mark;
  type.signature = ParseTypeSignature(field);
  YamlMapReader reader(field.value, type.name(), problems_);
  type.upstream = reader.TakeText("upstream");
  if (const YamlValue* interface = reader.Take("interface")) type.interface = ParseInterface(*interface, problems_);
  type.entry_points = ParseEntryPoints(reader.TakeFields("entry_points"), problems_);
  type.parameters = ParseTensors(reader.TakeFields("parameters"), /*are_buffers=*/false);
  type.buffers = ParseTensors(reader.TakeFields("buffers"), /*are_buffers=*/true);
  type.constants = ParseConstants(reader.TakeFields("constants"));
  type.attributes = ParseAttributes(reader.TakeFields("attributes"));
  for (const YamlValue::Field& child : reader.TakeFields("children")) type.children.push_back(ParseChild(child));
  if (const YamlValue* methods = reader.Take("methods")) {
    type.methods = ReadSource(*methods, "field \"methods\"", problems_);
  }
  reader.Finish();
  return type;
}

Signature TypeParser::ParseTypeSignature(const YamlValue::Field& field) {
  absl::optional<Signature> signature = Parsed(ParseSignature(field.name), field.mark);
  if (!signature.has_value()) return {.name = field.name, .arguments = {}};
  CheckName(signature->name, field.mark);
  return *std::move(signature);
}

std::vector<TensorDecl> TypeParser::ParseTensors(const std::vector<YamlValue::Field>& fields, bool are_buffers) {
  std::vector<TensorDecl> tensors;
  for (const YamlValue::Field& field : fields) tensors.push_back(ParseTensor(field, are_buffers));
  return tensors;
}

// NAME: [SIZE, ...], or NAME: {shape: [SIZE, ...], when: CONDITION, positions: ROWS}; a buffer also {dtype: DTYPE}.
TensorDecl TypeParser::ParseTensor(const YamlValue::Field& field, bool is_buffer) {
  AddMember(field);
  TensorDecl tensor{.name = field.name, .shape = {}, .when = {}, .mark = field.mark};
  const YamlValue* shape = &field.value;
  if (field.value.kind == Kind::kMap) {
    YamlMapReader reader(field.value, Quoted(field.name), problems_);
    shape = reader.Require("shape");
    tensor.when = TakeExpression("when", &reader, problems_);
    const YamlValue* dtype = is_buffer ? reader.Take("dtype") : nullptr;
    if (dtype != nullptr) tensor.dtype = ParseDType(*dtype);
    tensor.positions = TakeExpression("positions", &reader, problems_);
    reader.Finish();
  }
  if (shape == nullptr) return tensor;
  const std::string subject = absl::StrCat("the shape of ", Quoted(field.name));
  for (const YamlValue& item : ReadItems(*shape, subject, problems_)) {
    absl::optional<Expression> size = ReadExpression(item, subject, problems_);
    if (size.has_value()) tensor.shape.push_back(*std::move(size));
  }
  return tensor;
}

absl::optional<DType> TypeParser::ParseDType(const YamlValue& value) {
  const std::string name = ReadText(value, "field \"dtype\"", problems_);
  const absl::optional<DType> dtype = modelport::ParseDType(name);
  if (dtype.has_value() && HasNumbers(*dtype) && !IsFloating(*dtype)) return dtype;
  problems_->Add(value.mark,
                 absl::StrCat("field \"dtype\" wants int64, int32, int16, int8, uint8 or bool, has ", Quoted(name),
                              dtype.has_value() && IsFloating(*dtype) ? "; floating buffers need none" : ""));
  return absl::nullopt;
}

std::vector<ValueDecl> TypeParser::ParseConstants(const std::vector<YamlValue::Field>& fields) {
  std::vector<ValueDecl> constants;
  for (const YamlValue::Field& field : fields) {
    AddMember(field);
    absl::optional<ValueDecl> constant = ParseValue(field);
    if (constant.has_value()) constants.push_back(*std::move(constant));
  }
  return constants;
}

// NAME: VALUE, or NAME: KNOB.
std::vector<ValueDecl> TypeParser::ParseAttributes(const std::vector<YamlValue::Field>& fields) {
  std::vector<ValueDecl> attributes;
  for (const YamlValue::Field& field : fields) {
    AddMember(field);
    absl::optional<ValueDecl> attribute = field.value.kind == Kind::kMap ? ParseKnob(field) : ParseValue(field);
    if (attribute.has_value()) attributes.push_back(*std::move(attribute));
  }
  return attributes;
}

// A YAML list is read as a list expression.
absl::optional<ValueDecl> TypeParser::ParseValue(const YamlValue::Field& field) {
  const std::string subject = Quoted(field.name);
  absl::optional<Expression> value;
  if (field.value.kind == Kind::kList) {
    const std::vector<std::string> items = ReadTexts(field.value, subject, problems_);
    value = Parsed(Expression::Parse(absl::StrCat("[", absl::StrJoin(items, ", "), "]")), field.value.mark);
  } else {
    value = ReadExpression(field.value, subject, problems_);
  }
  if (!value.has_value()) return absl::nullopt;
  return ValueDecl{field.name, *std::move(value), absl::nullopt, absl::nullopt, field.mark};
}

// {value: NUMBER, min: NUMBER, max: NUMBER, choices: TEXTS, help: TEXT, when: CONDITION}.
absl::optional<ValueDecl> TypeParser::ParseKnob(const YamlValue::Field& field) {
  YamlMapReader reader(field.value, Quoted(field.name), problems_);
  const auto parse = [&](absl::string_view name, const YamlValue* value) {
    return value == nullptr ? absl::nullopt : ReadExpression(*value, absl::StrCat("field ", Quoted(name)), problems_);
  };
  absl::optional<Expression> value = parse("value", reader.Require("value"));
  absl::optional<Expression> min = parse("min", reader.Require("min")), max = parse("max", reader.Require("max"));
  absl::optional<Expression> when = parse("when", reader.Take("when"));
  std::vector<std::string> choices = reader.TakeTexts("choices");
  std::string help = reader.RequireText("help");
  reader.Finish();
  if (!value.has_value() || !min.has_value() || !max.has_value()) return absl::nullopt;
  return ValueDecl{field.name, *std::move(value),
                   KnobDecl{*std::move(min), *std::move(max), std::move(help), std::move(choices)}, std::move(when),
                   field.mark};
}

// NAME: MODULE, or NAME: {module: MODULE, when: CONDITION, otherwise: MODULE}.
ChildDecl TypeParser::ParseChild(const YamlValue::Field& field) {
  AddMember(field);
  ChildDecl child{.name = field.name, .module = {}, .when = {}, .otherwise = {}, .mark = field.mark};
  if (field.value.kind != Kind::kMap) {
    child.module = ParseModule(field.value, field.name);
    return child;
  }
  YamlMapReader reader(field.value, absl::StrCat("child ", Quoted(field.name)), problems_);
  if (const YamlValue* module = reader.Require("module")) child.module = ParseModule(*module, field.name);
  child.when = TakeExpression("when", &reader, problems_);
  if (const YamlValue* otherwise = reader.Take("otherwise")) {
    child.otherwise = ParseModule(*otherwise, field.name);
    if (!child.when.has_value()) {
      problems_->Add(otherwise->mark, absl::StrCat("\"otherwise\" of child ", Quoted(field.name), " wants a \"when\""));
    }
  }
  reader.Finish();
  return child;
}

// MODULE, {module: MODULE, repeat: COUNT, when: CONDITION}, or {modules: [ITEM, ...], repeat: COUNT, when: CONDITION}.
ModuleEntry TypeParser::ParseItem(const YamlValue& value, absl::string_view child) {
  if (value.kind != Kind::kMap) return ParseModule(value, child);
  ModuleEntry entry;
  YamlMapReader reader(value, absl::StrCat("an item of child ", Quoted(child)), problems_);
  if (const YamlValue* group = reader.Take("modules")) {
    const std::string subject = absl::StrCat("field \"modules\" of child ", Quoted(child));
    entry = {.kind = ModuleEntry::Kind::kGroup, .mark = group->mark};
    entry.items = ParseItems(ReadItems(*group, subject, problems_), child);
    if (reader.Take("module") != nullptr) {
      problems_->Add(value.mark, absl::StrCat("an item of child ", Quoted(child),
                                              " wants one of \"module\" and \"modules\", has both"));
    }
  } else if (const YamlValue* module = reader.Require("module")) {
    entry = ParseModule(*module, child);
  }
  entry.repeat = TakeExpression("repeat", &reader, problems_);
  entry.when = TakeExpression("when", &reader, problems_);
  reader.Finish();
  return entry;
}

// CALL, or [ITEM, ...].
ModuleEntry TypeParser::ParseModule(const YamlValue& value, absl::string_view child) {
  if (value.kind == Kind::kList) {
    return {.kind = ModuleEntry::Kind::kList, .items = ParseItems(value.items, child), .mark = value.mark};
  }
  return {.call = ParseCallText(value, absl::StrCat("child ", Quoted(child))), .mark = value.mark};
}

std::vector<ModuleEntry> TypeParser::ParseItems(const std::vector<YamlValue>& values, absl::string_view child) {
  std::vector<ModuleEntry> items;
  for (const YamlValue& value : values) items.push_back(ParseItem(value, child));
  return items;
}

Call TypeParser::ParseCallText(const YamlValue& value, absl::string_view subject) {
  const std::string text = ReadText(value, subject, problems_);
  return text.empty() ? Call() : Parsed(ParseCall(text), value.mark).value_or(Call());
}

void TypeParser::AddMember(const YamlValue::Field& field) {
  CheckName(field.name, field.mark);
  if (field.name == kTrainingName) {
    problems_->Add(field.mark,
                   absl::StrCat("every module has a member ", Quoted(kTrainingName), " already; use another name"));
  }
  const auto [first, is_new] = members_.emplace(field.name, field.mark.line);
  if (!is_new) {
    problems_->Add(field.mark,
                   absl::StrCat("second member ", Quoted(field.name), "; the first is on line ", first->second));
  }
}

void TypeParser::CheckName(absl::string_view name, const YamlMark& mark) {
  const absl::Status status = CheckIdentifier(name);
  if (!status.ok()) problems_->Add(mark, status.message());
}

template <typename T>
absl::optional<T> TypeParser::Parsed(absl::StatusOr<T> result, const YamlMark& mark) {
  if (result.ok()) return *std::move(result);
  problems_->Add(mark, result.status().message());
  return absl::nullopt;
}

SourceText ReadSource(const YamlValue& value, absl::string_view subject, YamlProblems* problems) {
  if (value.block_line == 0) {
    problems->Add(value.mark, absl::StrCat(subject, " wants a block of text that begins with \"|\""));
  }
  return {value.text, value.mark.file, value.block_line, /*name=*/value.mark.file};
}

}  // namespace modelport
