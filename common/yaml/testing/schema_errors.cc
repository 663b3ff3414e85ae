#include "common/yaml/testing/schema_errors.h"

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/utils/nlohmann_json_utils.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "yaml-cpp/yaml.h"

namespace modelport {
namespace {

using Json = nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

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
const valijson::Schema& FindSchema(const std::string& path) {
  static auto* const schemas = new std::map<std::string, valijson::Schema>();
  const auto [schema, is_new] = schemas->try_emplace(path);
  if (is_new) {
    Json json;
    EXPECT_TRUE(valijson::utils::loadDocument(path, json)) << path;
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(Adapter(json), schema->second);
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
  static auto* const validator = new valijson::Validator();  // Keeps the regular expressions, which are slow to make.
  valijson::ValidationResults results;
  if (validator->validate(FindSchema(SchemaPath(file)), Adapter(document), &results)) return {};
  std::vector<std::string> errors;
  for (const auto& error : results) {
    errors.push_back(absl::StrCat(absl::StrJoin(error.context, ""), ": ", error.description));
  }
  return errors;
}

}  // namespace modelport
