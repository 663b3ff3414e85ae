#ifndef MODELPORT_COMMON_YAML_TESTING_SCHEMA_ERRORS_H_
#define MODELPORT_COMMON_YAML_TESTING_SCHEMA_ERRORS_H_

#include <string>
#include <vector>

namespace modelport {

// What an editor reports of the YAML text `yaml` by docs/schema/NAME.schema.json; empty if it is valid. As in an editor,
// text without quotes may be a number, a boolean or null. `name` is "plugin", "keymap" or "modules".
std::vector<std::string> SchemaErrors(const std::string& name, const std::string& yaml);

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_TESTING_SCHEMA_ERRORS_H_
