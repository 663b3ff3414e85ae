#ifndef MODELPORT_TOOLS_SCHEMA_FIELD_TABLES_H_
#define MODELPORT_TOOLS_SCHEMA_FIELD_TABLES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

// A row of a table of fields in docs/plugins.md.
struct FieldRow {
  std::string name;      // "summary", or "upstream.source" for a field of the map `upstream`.
  std::string type;      // "map from name to variant", without backticks.
  std::string required;  // "yes", "no" or a condition, as it is written.
  std::string fallback;  // The column "default"; empty if the table has none.
  std::string text;      // The column "example", as plain text.
};

using FieldTable = std::vector<FieldRow>;

// The tables of the Markdown text `page` whose first column is "field", in the order of the page. A column that a table
// lacks is empty.
std::vector<FieldTable> ReadFieldTables(absl::string_view page);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_SCHEMA_FIELD_TABLES_H_
