#include "common/yaml/testing/schema_errors.h"

#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/yaml/testing/json_schema.h"
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

}  // namespace modelport
