#include "registry/toy_plugin.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace modelport {

// The YAML blocks of the page; the first line of each is a comment with the file's name.
PluginFolder ReadToyPlugin() {
  std::ifstream stream("docs/plugins.md");
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  PluginFolder folder{"docs/toy", {}};
  const std::vector<std::string> pieces = absl::StrSplit(page, "```");
  for (absl::string_view block : pieces) {
    if (!absl::ConsumePrefix(&block, "yaml\n# ")) continue;
    const absl::string_view name = block.substr(0, block.find('\n'));
    folder.files.push_back({absl::StrCat("docs/toy/", name), absl::StrCat("# ", block)});
  }
  return folder;
}

}  // namespace modelport
