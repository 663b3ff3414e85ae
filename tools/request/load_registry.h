#ifndef MODELPORT_TOOLS_REQUEST_LOAD_REGISTRY_H_
#define MODELPORT_TOOLS_REQUEST_LOAD_REGISTRY_H_

#include <string>

#include "absl/status/statusor.h"
#include "registry/registry.h"
#include "tools/command/flags.h"

namespace modelport {

// The flag --plugin_path.
struct RegistryFlags {
  // Adds it to `group`.
  explicit RegistryFlags(FlagGroup& group);

  Flag<std::string> plugin_path;
};

// The registry with the plugins `built_in` and those of --plugin_path. A relative path is resolved by ResolveUserPath.
// Errors as for Registry::Load.
absl::StatusOr<Registry> LoadRegistry(const BuiltIn& built_in, const RegistryFlags& flags);

// What a model is searched in: `registry`, or the family of a flag --family, where that is given.
//   InvalidArgument  no such family
absl::StatusOr<Registry> SearchedRegistry(const Registry& registry, const std::string& family);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_REQUEST_LOAD_REGISTRY_H_
