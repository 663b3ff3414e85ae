#ifndef MODELPORT_COMMON_YAML_TESTING_SCHEMA_ERRORS_H_
#define MODELPORT_COMMON_YAML_TESTING_SCHEMA_ERRORS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/yaml/document.h"

namespace modelport {

// The schema for a file of a plugin, by the file's name: "docs/schema/plugin.schema.json" for a plugin.yaml.
std::string SchemaPath(const YamlFile& file);

// What an editor reports of `file` by its schema; empty if it is valid. As in an editor, text without quotes may be a
// number, a boolean or null.
std::vector<std::string> SchemaErrors(const YamlFile& file);

// What is wrong with `value` by `schema`, a JSON Schema of draft 7; empty if it is valid. A schema may use the keywords
// that docs/schema needs; another one fails the test.
std::vector<std::string> JsonSchemaErrors(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_TESTING_SCHEMA_ERRORS_H_
