#include "tools/new_plugin/plugin_list.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace modelport {
namespace {

bool IsItem(absl::string_view line) {
  return line.size() > 7 && absl::StartsWith(line, "    \"") && absl::EndsWith(line, "\",");
}

}  // namespace

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
