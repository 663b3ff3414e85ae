#include "common/yaml/testing/schema_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "yaml-cpp/yaml.h"

namespace modelport {
namespace {

using Json = nlohmann::json;

// Text without quotes, by the core schema of YAML 1.2.
Json PlainScalar(const std::string& text) {
  static const auto* const kNull = new std::regex("|~|null|Null|NULL");
  static const auto* const kTrue = new std::regex("true|True|TRUE");
  static const auto* const kFalse = new std::regex("false|False|FALSE");
  static const auto* const kInteger = new std::regex("[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+");
  static const auto* const kNumber =
      new std::regex(R"([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))");
  const auto is = [&](const std::regex* kind) { return std::regex_match(text, *kind); };
  if (is(kNull)) return nullptr;
  if (is(kTrue) || is(kFalse)) return is(kTrue);
  if (is(kInteger)) return std::strtoll(text.c_str(), nullptr, /*base=*/10);
  if (is(kNumber)) return std::strtod(text.c_str(), nullptr);
  return text;
}

Json ToJson(const YAML::Node& node) {
  if (node.IsScalar()) return node.Tag() == "?" ? PlainScalar(node.Scalar()) : Json(node.Scalar());
  if (node.IsNull()) return nullptr;
  Json json = node.IsMap() ? Json::object() : Json::array();
  for (const auto& item : node) {
    if (node.IsMap()) {
      json[item.first.Scalar()] = ToJson(item.second);
    } else {
      json.push_back(ToJson(item));
    }
  }
  return json;
}

// The schema in the file `path`.
const Json& FindSchema(const std::string& path) {
  static auto* const schemas = new std::map<std::string, Json>();
  const auto [schema, is_new] = schemas->try_emplace(path);
  if (is_new) {
    std::ifstream stream(path);
    schema->second = Json::parse(stream);
  }
  return schema->second;
}

bool HasType(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number() && std::trunc(value.get<double>()) == value.get<double>();
  if (type == "number") return value.is_number();
  return type == value.type_name();
}

bool Matches(const std::string& text, const std::string& pattern) {
  static auto* const patterns = new std::map<std::string, std::regex>();  // They are slow to make.
  return std::regex_search(text, patterns->try_emplace(pattern, pattern).first->second);
}

class Validator {
 public:
  // `is_probe`: errors are only counted.
  explicit Validator(const Json& root, bool is_probe = false) : root_(root), is_probe_(is_probe) {}

  // Adds what is wrong with `value`, which is at `place`.
  void Check(const Json& schema, const Json& value, const std::string& place) {
    if (schema.is_boolean()) return Expect(schema.get<bool>(), place, "allowed", schema);
    if (schema.contains("$ref")) {
      const std::string pointer = schema["$ref"].get<std::string>().substr(1);
      return Check(root_.at(Json::json_pointer(pointer)), value, place);
    }
    for (const auto& [keyword, rule] : schema.items()) {
      const bool is_known = IsAnnotation(keyword) || CheckAny(schema, keyword, rule, value, place) ||
                            CheckScalar(keyword, rule, value, place) || CheckList(keyword, rule, value, place) ||
                            CheckMap(schema, keyword, rule, value, place);
      EXPECT_TRUE(is_known) << "keyword " << keyword;
    }
  }

  std::vector<std::string> TakeErrors() { return std::move(errors_); }

 private:
  static bool IsAnnotation(const std::string& keyword) {
    return keyword == "$schema" || keyword == "title" || keyword == "description" || keyword == "default" ||
           keyword == "definitions" || keyword == "patternErrorMessage";
  }

  bool IsValid(const Json& schema, const Json& value) const {
    Validator other(root_, /*is_probe=*/true);
    other.Check(schema, value, "");
    return other.errors_.empty();
  }

  // Texts of rules are long, and made for an error only.
  void Expect(bool holds, const std::string& place, const std::string& keyword, const Json& rule) {
    if (!holds) errors_.push_back(is_probe_ ? "" : absl::StrCat(place, ": ", keyword, " ", rule.dump()));
  }

  // The functions below return whether they know the keyword.

  bool CheckAny(const Json& schema, const std::string& keyword, const Json& rule, const Json& value,
                const std::string& place) {
    const auto is_valid = [&](const Json& alternative) { return IsValid(alternative, value); };
    if (keyword == "anyOf") {
      Expect(std::any_of(rule.begin(), rule.end(), is_valid), place, keyword, rule);
    } else if (keyword == "oneOf") {
      Expect(std::count_if(rule.begin(), rule.end(), is_valid) == 1, place, keyword, rule);
    } else if (keyword == "if") {
      const char* branch = IsValid(rule, value) ? "then" : "else";
      if (schema.contains(branch)) Check(schema[branch], value, place);
    } else if (keyword == "type") {
      const auto has_type = [&](const Json& type) { return HasType(value, type); };
      Expect(rule.is_array() ? std::any_of(rule.begin(), rule.end(), has_type) : has_type(rule), place, keyword, rule);
    } else if (keyword == "enum") {
      Expect(std::count(rule.begin(), rule.end(), value) > 0, place, keyword, rule);
    } else if (keyword == "const") {
      Expect(value == rule, place, keyword, rule);
    } else {
      return keyword == "then" || keyword == "else";
    }
    return true;
  }

  bool CheckScalar(const std::string& keyword, const Json& rule, const Json& value, const std::string& place) {
    if (keyword == "pattern") {
      if (value.is_string()) Expect(Matches(value, rule), place, keyword, rule);
    } else if (keyword == "minLength") {
      if (value.is_string()) Expect(value.get<std::string>().size() >= rule, place, keyword, rule);
    } else if (keyword == "minimum") {
      if (value.is_number()) Expect(value >= rule, place, keyword, rule);
    } else if (keyword == "exclusiveMinimum") {
      if (value.is_number()) Expect(value > rule, place, keyword, rule);
    } else {
      return false;
    }
    return true;
  }

  bool CheckList(const std::string& keyword, const Json& rule, const Json& value, const std::string& place) {
    if (keyword != "items" && keyword != "minItems" && keyword != "maxItems") return false;
    if (!value.is_array()) return true;
    if (keyword == "minItems") Expect(value.size() >= rule, place, keyword, rule);
    if (keyword == "maxItems") Expect(value.size() <= rule, place, keyword, rule);
    for (size_t i = 0; keyword == "items" && i < value.size(); ++i)
      Check(rule, value[i], absl::StrCat(place, "[", i, "]"));
    return true;
  }

  bool CheckMap(const Json& schema, const std::string& keyword, const Json& rule, const Json& value,
                const std::string& place) {
    if (keyword != "properties" && keyword != "additionalProperties" && keyword != "propertyNames" &&
        keyword != "required" && keyword != "minProperties") {
      return false;
    }
    if (!value.is_object()) return true;
    if (keyword == "minProperties") Expect(value.size() >= rule, place, keyword, rule);
    for (size_t i = 0; keyword == "required" && i < rule.size(); ++i) {
      Expect(value.contains(rule[i].get<std::string>()), place, keyword, rule[i]);
    }
    for (const auto& [name, field] : value.items()) {
      const std::string inner = absl::StrCat(place, ".", name);
      const bool is_listed = schema.contains("properties") && schema["properties"].contains(name);
      if (keyword == "propertyNames") Check(rule, name, inner);
      if (keyword == "properties" && is_listed) Check(rule[name], field, inner);
      if (keyword == "additionalProperties" && !is_listed) Check(rule, field, inner);
    }
    return true;
  }

  const Json& root_;
  const bool is_probe_;
  std::vector<std::string> errors_;
};

}  // namespace

std::string SchemaPath(const YamlFile& file) {
  const std::string name = file.path.substr(file.path.rfind('/') + 1);
  const bool has_own = name == "plugin.yaml" || name == "keymap.yaml";
  return absl::StrCat("docs/schema/", has_own ? absl::StripSuffix(name, ".yaml") : "modules", ".schema.json");
}

std::vector<std::string> SchemaErrors(const YamlFile& file) {
  Json document;
  try {
    document = ToJson(YAML::Load(file.text));
  } catch (const YAML::Exception& error) {
    return {error.what()};
  }
  return JsonSchemaErrors(FindSchema(SchemaPath(file)), document);
}

std::vector<std::string> JsonSchemaErrors(const Json& schema, const Json& value) {
  Validator validator(schema);
  validator.Check(schema, value, "");
  return validator.TakeErrors();
}

}  // namespace modelport
