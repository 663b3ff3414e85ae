#include "tools/load_registry.h"

#include <string>

#include "absl/flags/flag.h"
#include "tools/tool_main.h"

ABSL_FLAG(std::string, plugin_path, "", "a folder with plugins that are not built in");

namespace modelport {

absl::StatusOr<Registry> LoadRegistry() {
  const std::string path = absl::GetFlag(FLAGS_plugin_path);
  return Registry::Load(path.empty() ? "" : ResolveUserPath(path));
}

}  // namespace modelport
