#include "tools/request/load_registry.h"

#include <string>
#include <vector>

#include "tools/command/user_path.h"

namespace modelport {
namespace {

FlagGroup flags;
Flag<std::vector<std::string>> FLAGS_plugin_path(
    flags, "plugin_path", {}, "a folder with plugins that are not built in; several are separated by commas");

}  // namespace

const FlagGroup& RegistryFlags() { return flags; }

absl::StatusOr<Registry> LoadRegistry(const BuiltIn& built_in) {
  std::vector<std::string> paths = *FLAGS_plugin_path;
  for (std::string& path : paths) path = ResolveUserPath(path);
  return Registry::Load(built_in, paths);
}

}  // namespace modelport
