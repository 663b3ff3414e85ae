// JSON Schemas of a plugin's files, for editors. They are made from the tables of fields in docs/plugins.md, whose
// column "type" is read as
//
//   TYPE      a type with a name, such as text or variant
//           | map from TYPE to TYPE | list of TYPEs | one or more TYPEs | TYPE or TYPE
//           | one of NAME, NAME | {NAME: TYPE, NAME?: TYPE}, where the second field is optional
#ifndef MODELPORT_TOOLS_SCHEMA_PLUGIN_SCHEMAS_H_
#define MODELPORT_TOOLS_SCHEMA_PLUGIN_SCHEMAS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// A file of docs/schema.
struct SchemaFile {
  std::string name;  // "plugin.schema.json"
  std::string text;  // A schema of draft 7.
};

// The schemas of plugin.yaml, keymap.yaml and the files of module types. `page` is the text of docs/plugins.md.
// InvalidArgument names every field whose type or condition has no meaning here.
absl::StatusOr<std::vector<SchemaFile>> MakePluginSchemas(absl::string_view page);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_SCHEMA_PLUGIN_SCHEMAS_H_
