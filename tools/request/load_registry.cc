#include "tools/request/load_registry.h"

#include <string>

#include "tools/command/user_path.h"

namespace modelport {
RegistryFlags::RegistryFlags(FlagGroup& group)
    : plugin_path(group, "plugin_path", "",
                  "a folder with plugins that are not built in, or several with commas between") {}

absl::StatusOr<Registry> LoadRegistry(const BuiltIn& built_in, const RegistryFlags& flags) {
  return Registry::Load(built_in, ResolveUserPaths(*flags.plugin_path));
}

absl::StatusOr<Registry> SearchedRegistry(const Registry& registry, const std::string& family) {
  return family.empty() ? registry : registry.Only(family);
}

}  // namespace modelport
