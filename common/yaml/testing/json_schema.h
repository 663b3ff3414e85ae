#ifndef MODELPORT_COMMON_YAML_TESTING_JSON_SCHEMA_H_
#define MODELPORT_COMMON_YAML_TESTING_JSON_SCHEMA_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace modelport {

// What is wrong with `value` by `schema`, a JSON Schema of draft 7; empty if it is valid. A schema may use the keywords
// that docs/schema needs; another one fails the test.
std::vector<std::string> JsonSchemaErrors(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_TESTING_JSON_SCHEMA_H_
