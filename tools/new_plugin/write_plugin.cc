#include "tools/new_plugin/write_plugin.h"

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/io/output_file.h"
#include "common/io/output_folder.h"
#include "common/status/status_macros.h"
#include "tools/new_plugin/plugin_list.h"

namespace modelport {

void NameSchemas(const std::string& schemas, PluginDraft* draft) {
  for (PluginDraft::File& file : draft->files) {
    absl::string_view stem = file.name;
    if (!absl::ConsumeSuffix(&stem, ".yaml")) continue;
    file.text = absl::StrCat("# yaml-language-server: $schema=", schemas, "/", stem, ".schema.json\n", file.text);
  }
}

absl::Status WritePlugin(const PluginDraft& draft, const std::string& path) {
  ASSIGN_OR_RETURN(OutputFolder folder, OutputFolder::Create(path));
  for (const PluginDraft::File& file : draft.files) {
    RETURN_IF_ERROR(OutputFile::WriteWhole(absl::StrCat(folder.partial_path(), "/", file.name), file.text));
  }
  return folder.Commit();
}

absl::StatusOr<bool> ListPlugin(const std::string& path, const std::string& family) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return absl::NotFoundError(absl::StrCat(path, ": cannot be read"));
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const absl::optional<std::string> listed = AddToPluginList(text, family);
  if (!listed) return false;
  RETURN_IF_ERROR(OutputFile::WriteWhole(path, *listed));
  return true;
}

}  // namespace modelport
