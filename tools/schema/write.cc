// Writes the schemas in docs/schema anew from docs/plugins.md.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/io/output_file.h"
#include "common/status/status_macros.h"
#include "tools/schema/plugin_schemas.h"

namespace modelport {
namespace {

absl::Status WriteSchemas(const std::string& docs) {
  std::ifstream stream(docs + "plugins.md");
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  ASSIGN_OR_RETURN(const std::vector<SchemaFile> schemas, MakePluginSchemas(page));
  for (const SchemaFile& schema : schemas) {
    RETURN_IF_ERROR(OutputFile::WriteWhole(absl::StrCat(docs, "schema/", schema.name), schema.text));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main() {
  const char* workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  const absl::Status status =
      modelport::WriteSchemas(workspace == nullptr ? "docs/" : std::string(workspace) + "/docs/");
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? 0 : 1;
}
