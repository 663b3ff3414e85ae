#include "tools/new_plugin/write_plugin.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"
#include "common/io/output_file.h"
#include "common/io/output_folder.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

bool IsItem(absl::string_view line) {
  return line.size() > 7 && absl::StartsWith(line, "    \"") && absl::EndsWith(line, "\",");
}

}  // namespace

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

absl::optional<std::string> AddToPluginList(absl::string_view text, absl::string_view family) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  const auto begin = std::find(lines.begin(), lines.end(), "PLUGINS = [");
  if (begin == lines.end()) return absl::nullopt;
  const auto end = std::find(begin, lines.end(), "]");
  if (end == lines.end() || !std::all_of(begin + 1, end, IsItem)) return absl::nullopt;
  std::string item = absl::StrCat("    \"", family, "\",");
  if (std::find(begin + 1, end, item) == end) {
    // Starlark sorts names, which end before their quotes.
    const auto name = [](absl::string_view line) { return line.substr(5, line.size() - 7); };
    const auto after = std::find_if(begin + 1, end, [&](const std::string& line) { return name(line) > family; });
    lines.insert(after, std::move(item));
  }
  return absl::StrJoin(lines, "\n");
}

}  // namespace modelport
