#include "tools/schema/plugin_schemas.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "tools/schema/field_tables.h"
#include "tools/schema/text_patterns.h"

namespace modelport {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

// The conditions in the column "required". Those of plugin.yaml are in PluginRules().
constexpr char kYes[] = "yes";
constexpr char kNo[] = "no";
constexpr char kWithVariants[] = "with variants";
constexpr char kNotWithExtends[] = "no, not with `extends`";
constexpr char kUnlessExtends[] = "unless `extends`";
constexpr char kUrlOrHub[] = "one of `url` and `hub`, if published";
constexpr char kModuleOrModules[] = "one of `module` and `modules`";
constexpr char kFileOrFiles[] = "one of `file` and `files`, unless `extends`";
constexpr char kUnlessParts[] = "unless `parts`";
constexpr const char* kConditions[] = {
    kYes, kNo, kWithVariants, kNotWithExtends, kUnlessExtends, kUrlOrHub, kModuleOrModules, kFileOrFiles, kUnlessParts};

// Text without quotes that YAML reads as a number or a boolean is text for Modelport, wherever it wants text.
Json Scalar() { return {{"type", {"string", "number", "boolean"}}}; }

Json Text() {
  Json text = Scalar();
  text["minLength"] = 1;
  return text;
}

// `type` whose text matches `pattern`. The message for text that does not is no keyword of JSON Schema, but VS Code and
// yaml-language-server show it.
Json Matching(Json type, const std::string& pattern, absl::string_view wants) {
  type["pattern"] = pattern;
  type["patternErrorMessage"] = absl::StrCat("wants ", wants);
  return type;
}

// A name may be 2.5, but not -2.5.
Json Name() {
  Json name = Scalar();
  name["minimum"] = 0;
  return Matching(std::move(name), CatalogNamePattern(), "a-z, 0-9, _, . and -, at most 64, a letter or digit first");
}

Json Numbers(Json number) {
  number["type"] = "number";
  return {{"type", "array"}, {"items", std::move(number)}};
}

Json TwoIntegersAboveZero() {
  return {{"type", "array"}, {"items", {{"type", "integer"}, {"minimum", 1}}}, {"minItems", 2}, {"maxItems", 2}};
}

// The types that consist of no others.
const std::map<std::string, Json>& SimpleTypes() {
  const Json text = {{"type", "string"}};
  static const auto* types = new std::map<std::string, Json>{
      {"text", Text()},
      {"family", Text()},
      {"true or false", {{"type", "boolean"}}},
      {"flag", {{"type", "boolean"}}},
      {"constant", {{"type", {"number", "boolean"}}}},
      {"constants",
       {{"type", {"number", "boolean", "array"}}, {"items", {{"type", {"number", "boolean"}}}}, {"minItems", 1}}},
      {"integer above 0", {{"type", "integer"}, {"minimum", 1}}},
      {"two integers above 0", TwoIntegersAboveZero()},
      {"numbers", Numbers(Json::object())},
      {"numbers above 0", Numbers({{"exclusiveMinimum", 0}})},
      {"name", Name()},
      {"sha256", Matching(text, "^[0-9a-f]{8,64}$", "64 digits of 0-9 and a-f, or the first 8 of them or more")},
      {"member", Matching(Scalar(), MemberPattern(), "letters, digits and _, no digit and no __ first")},
      {"argument", Matching(text, MemberPattern(), "the name of an argument of the root, such as has_normals")},
      {"place", Matching(text, PlacePattern(), "CHILD.METHOD, such as model.forward")},
      {"path", Matching(Scalar(), PathPattern(), "a path below a folder, without . and ..")},
      {"file expression",
       Matching(Scalar(), FileExpressionPattern(), "an expression of a file, such as shape(\"stem.weight\")[0]")},
      {"expression", Matching(Scalar(), ExpressionPattern(), "an expression, such as 2 * dim")},
      {"call", Matching(text, CallPattern(), "a call, such as Conv2d(3, dim, kernel=1)")},
      {"example", Matching(text, ExamplePattern(), "a call with values by position, such as forward([1, 3, 28, 28])")},
      {"root example",
       Matching(text, RootExamplePattern(), "a call with values by position, such as forward([1, 3, 28, 28])")},
      {"signature", Matching(text, CallPattern(), "a signature, such as Linear(inputs, outputs, bias=1)")},
      {"pattern set",
       Matching(Scalar(), PatternSetPattern(), "keys whose parts are plain, {name}, {a,b} or once {name*}")},
      {"operation", Matching(text, OperationPattern(), "an operation, such as concatenate(0)")},
      {"pattern", Matching(Scalar(), KeyPatternPattern(), "a key whose parts are plain, {name} or once {name*}")},
      {"| block", text},
  };
  return *types;
}

// "module type" as a name in "#/definitions/module_type".
std::string DefinitionName(absl::string_view type) {
  std::string name;
  for (const char c : type) {
    if (absl::ascii_isalnum(c)) name += c;
    if (c == ' ' && !name.empty()) name += '_';
  }
  return name;
}

std::string Singular(absl::string_view plural) {
  if (absl::ConsumeSuffix(&plural, "ies")) return absl::StrCat(plural, "y");
  return std::string(absl::StripSuffix(plural, "s"));
}

// "upstream" of "upstream.source".
std::string OuterName(const std::string& name) { return name.substr(0, name.find('.')); }

// The fields of `table` that have one of the conditions.
Names FieldsWith(const FieldTable& table, std::initializer_list<absl::string_view> conditions) {
  Names names;
  for (const FieldRow& row : table) {
    const bool has_one = std::find(conditions.begin(), conditions.end(), row.required) != conditions.end();
    const std::string name = OuterName(row.name);
    if (has_one && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

FieldTable Without(FieldTable table, std::initializer_list<absl::string_view> names) {
  table.erase(std::remove_if(
                  table.begin(), table.end(),
                  [&](const FieldRow& row) { return std::find(names.begin(), names.end(), row.name) != names.end(); }),
              table.end());
  return table;
}

// {"KEYWORD": [{"required": [NAME]}, ...]}.
Json RequireSome(const char* keyword, const Names& names) {
  Json alternatives = Json::array();
  for (const std::string& name : names) alternatives.push_back({{"required", {name}}});
  return {{keyword, std::move(alternatives)}};
}

class SchemaMaker {
 public:
  // `tables` are those of docs/plugins.md, in their order.
  explicit SchemaMaker(const std::vector<FieldTable>& tables)
      : plugin_(tables[0]),
        variant_(tables[1]),
        file_(tables[2]),
        modules_file_(tables[3]),
        module_type_(tables[4]),
        buffer_(tables[5]),
        item_(tables[6]),
        knob_(tables[7]),
        entry_point_(tables[8]),
        input_(tables[9]),
        output_(tables[10]),
        interface_(tables[11]),
        key_map_(tables[12]),
        layout_(tables[13]),
        source_(tables[14]),
        config_field_(tables[15]) {}

  SchemaFile PluginSchema() {
    Json schema = Map(plugin_);
    schema.update(PluginRules());
    return File("plugin", "plugin.yaml of a Modelport plugin", std::move(schema));
  }

  SchemaFile ModulesSchema() { return File("modules", "module types of a Modelport plugin", Map(modules_file_)); }

  SchemaFile KeyMapSchema() {
    Json schema = Map(key_map_);
    schema.update(RequireSome("anyOf", {"layouts", "parts"}));
    return File("keymap", "keymap.yaml of a Modelport plugin", std::move(schema));
  }

  const std::set<std::string>& problems() const { return problems_; }

 private:
  // The file of a schema with the definitions that it refers to.
  SchemaFile File(const std::string& name, const std::string& title, Json schema) {
    Json whole = {{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
    whole.update(schema);
    whole["definitions"] = std::exchange(definitions_, Json::object());
    return {absl::StrCat(name, ".schema.json"), absl::StrCat(whole.dump(1), "\n")};
  }

  static Json EmptyMap() {
    return {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
  }

  // A map with the fields of `table` and no others. A field of its own type "map" has those fields whose names begin
  // with its name and a dot.
  Json Map(const FieldTable& table) {
    Json map = EmptyMap();
    for (const FieldRow& row : table) {
      if (std::find(std::begin(kConditions), std::end(kConditions), row.required) == std::end(kConditions)) {
        problems_.insert(absl::StrCat(row.name, ": unknown condition \"", row.required, "\""));
      }
      const std::string outer = OuterName(row.name);
      if (outer == row.name) {
        AddField(row, row.name, &map);
        continue;
      }
      Json& inner = map["properties"][outer];
      if (!inner.contains("properties")) inner.update(EmptyMap());
      AddField(row, row.name.substr(outer.size() + 1), &inner);
      if (row.required != kNo) inner["required"].push_back(row.name.substr(outer.size() + 1));
    }
    if (const Names required = FieldsWith(table, {kYes}); !required.empty()) map["required"] = required;
    return map;
  }

  void AddField(const FieldRow& row, const std::string& name, Json* map) {
    Json field = {{"title", row.type}};
    if (!row.text.empty()) field["description"] = row.text;
    field.update(Type(row.type, row.name));
    const Json fallback = Json::parse(row.fallback, /*cb=*/nullptr, /*allow_exceptions=*/false);
    if (!fallback.is_discarded()) field["default"] = fallback;
    (*map)["properties"][name] = std::move(field);
  }

  // The schema of a type as docs/plugins.md words it. `field` is for problems.
  Json Type(absl::string_view type, const std::string& field) {
    if (type == "map") return {{"type", "object"}};
    const std::string name = DefinitionName(type);
    if (definitions_.contains(name) || Define(std::string(type), name)) {
      return {{"$ref", absl::StrCat("#/definitions/", name)}};
    }
    if (absl::ConsumePrefix(&type, "map from ")) {
      const std::pair<absl::string_view, absl::string_view> ends = absl::StrSplit(type, absl::MaxSplits(" to ", 1));
      return {{"type", "object"},
              {"propertyNames", Type(ends.first, field)},
              {"additionalProperties", Type(ends.second, field)}};
    }
    if (absl::StrContains(type, " or ") && !absl::StartsWith(type, "one or more ")) {
      Json alternatives = Json::array();
      for (absl::string_view part : absl::StrSplit(type, " or ")) alternatives.push_back(Type(part, field));
      return {{"anyOf", std::move(alternatives)}};
    }
    if (absl::ConsumePrefix(&type, "one of ")) return {{"enum", Names(absl::StrSplit(type, ", "))}};
    const bool wants_one = absl::ConsumePrefix(&type, "one or more ");
    if (wants_one || absl::ConsumePrefix(&type, "list of ")) {
      Json list = {{"type", "array"}, {"items", Type(Singular(type), field)}};
      if (wants_one) list["minItems"] = 1;
      return list;
    }
    if (absl::ConsumePrefix(&type, "{") && absl::ConsumeSuffix(&type, "}")) return BracedMap(type);
    problems_.insert(absl::StrCat(field, ": unknown type \"", type, "\""));
    return Json::object();
  }

  // "from: pattern, value?: constant"; every field is required but those with a question mark.
  Json BracedMap(absl::string_view fields) {
    FieldTable table;
    for (absl::string_view part : absl::StrSplit(fields, ", ")) {
      const std::pair<std::string, std::string> ends = absl::StrSplit(part, absl::MaxSplits(": ", 1));
      const bool is_optional = absl::EndsWith(ends.first, "?");
      table.push_back({std::string(absl::StripSuffix(ends.first, "?")), ends.second, is_optional ? kNo : kYes, "", ""});
    }
    return Map(table);
  }

  // Adds the definition of a type that has a name of its own; returns false if `type` is no such type.
  bool Define(const std::string& type, const std::string& name) {
    definitions_[name] = nullptr;  // A type may contain itself.
    const auto simple = SimpleTypes().find(type);
    Json definition = simple == SimpleTypes().end() ? Composed(type) : simple->second;
    if (definition.is_null()) {
      definitions_.erase(name);
      return false;
    }
    definitions_[name] = std::move(definition);
    return true;
  }

  // The types that consist of others; null for any other text.
  Json Composed(const std::string& type) {
    if (type == "variant") return Variant();
    if (type == "parts") return Parts();
    if (type == "wrappers") return Wrappers();
    if (type == "published file") return PublishedFile();
    if (type == "module type") return Map(module_type_);
    if (type == "entry point") return Map(entry_point_);
    if (type == "input") return Map(input_);
    if (type == "output") return Map(output_);
    if (type == "interface") return Map(interface_);
    if (type == "knob") return Map(knob_);
    if (type == "layout") return Map(layout_);
    if (type == "source") return Map(source_);
    if (type == "config field") return Map(config_field_);
    if (type == "group")
      return Map(Without(layout_, {"recognise", "prefix", "note", "rules", "includes", "constants"}));
    if (type == "module") return Type("call or list of items", type);
    if (type == "parameter") return Either("list of expressions", Map(Without(buffer_, {"dtype"})));
    if (type == "buffer") return Either("list of expressions", Map(buffer_));
    if (type == "child") {
      Json map = Map(Without(item_, {"modules", "repeat"}));
      map["required"] = {"module"};
      map["if"] = {{"required", {"otherwise"}}};
      map["then"] = {{"required", {"when"}}};
      return Either("module", std::move(map));
    }
    if (type == "item") {
      Json map = Map(Without(item_, {"otherwise"}));
      map.update(RequireSome("oneOf", FieldsWith(item_, {kModuleOrModules})));
      return Either("module", std::move(map));
    }
    return nullptr;
  }

  // A variant with `files` has none of the fields that each of these has.
  Json Variant() {
    Json map = Map(variant_), excluded = Json::object();
    for (const FieldRow& row : file_) excluded[row.name] = false;
    map["if"] = {{"required", {"files"}}};
    map["then"] = {{"properties", std::move(excluded)}};
    map["else"] = {{"properties", {{"whole", false}}}};
    return map;
  }

  Json PublishedFile() {
    Json map = Map(file_);
    map.update(RequireSome("anyOf", FieldsWith(file_, {kUrlOrHub})));
    return map;
  }

  Json Parts() {
    return {{"type", "object"},
            {"propertyNames", Type("member", "parts")},
            {"additionalProperties", Map(file_)},
            {"minProperties", 2}};
  }

  // One wrapper of a root, or several by their names.
  Json Wrappers() {
    Json named = {{"type", "object"},
                  {"propertyNames", Type("name", "wrappers")},
                  {"additionalProperties", Either("call", BracedMap("module: call, when?: expression"))},
                  {"minProperties", 1}};
    return Either("call", std::move(named));
  }

  Json Either(absl::string_view type, Json map) { return {{"anyOf", {Type(type, "a map"), std::move(map)}}}; }

  // What the fields of plugin.yaml demand of each other.
  Json PluginRules() const {
    Json taken_over = Json::object();
    for (const std::string& name : FieldsWith(plugin_, {kWithVariants, kNotWithExtends})) taken_over[name] = false;

    Json own_variant = {{"required", FieldsWith(variant_, {kUnlessExtends})}};
    own_variant.update(RequireSome("oneOf", FieldsWith(variant_, {kFileOrFiles})));
    const Json has_place = RequireSome("anyOf", FieldsWith(variant_, {kUrlOrHub}));
    own_variant.update(has_place);
    own_variant["anyOf"].push_back(
        {{"required", {"files"}}, {"properties", {{"files", {{"additionalProperties", has_place}}}}}});
    own_variant["anyOf"].push_back({{"required", {"published"}}, {"properties", {{"published", {{"const", false}}}}}});

    const Json has_variants = {{"required", {"variants"}}, {"properties", {{"variants", {{"minProperties", 1}}}}}};
    const Json with_variants = {{"required", FieldsWith(plugin_, {kWithVariants})},
                                {"properties", {{"examples", {{"minItems", 1}}}}}};
    return {{"if", {{"required", {"extends"}}}},
            {"then", {{"properties", std::move(taken_over)}}},
            {"else",
             {{"properties", {{"variants", {{"additionalProperties", std::move(own_variant)}}}}},
              {"if", has_variants},
              {"then", with_variants}}}};
  }

  const FieldTable &plugin_, &variant_, &file_, &modules_file_, &module_type_, &buffer_, &item_, &knob_, &entry_point_,
      &input_, &output_, &interface_, &key_map_, &layout_, &source_, &config_field_;
  Json definitions_ = Json::object();
  std::set<std::string> problems_;
};

}  // namespace

absl::StatusOr<std::vector<SchemaFile>> MakePluginSchemas(absl::string_view page) {
  constexpr size_t kTables = 16;
  const std::vector<FieldTable> tables = ReadFieldTables(page);
  if (tables.size() != kTables) {
    return absl::InvalidArgumentError(
        absl::StrCat("docs/plugins.md: wants ", kTables, " tables of fields, has ", tables.size()));
  }
  SchemaMaker maker(tables);
  std::vector<SchemaFile> files = {maker.PluginSchema(), maker.ModulesSchema(), maker.KeyMapSchema()};
  if (maker.problems().empty()) return files;
  return absl::InvalidArgumentError(absl::StrCat("docs/plugins.md: ", maker.problems().size(), " problems\n  ",
                                                 absl::StrJoin(maker.problems(), "\n  ")));
}

}  // namespace modelport
