#include "tools/load_registry.h"

#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "tools/tool_main.h"

ABSL_FLAG(std::vector<std::string>, plugin_path, {},
          "a folder with plugins that are not built in; several are separated by commas");

namespace modelport {

absl::StatusOr<Registry> LoadRegistry(absl::Span<const EmbeddedFile> built_in) {
  std::vector<std::string> paths = absl::GetFlag(FLAGS_plugin_path);
  for (std::string& path : paths) path = ResolveUserPath(path);
  return Registry::Load(built_in, paths);
}

}  // namespace modelport
