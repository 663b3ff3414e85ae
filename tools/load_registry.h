#ifndef MODELPORT_TOOLS_LOAD_REGISTRY_H_
#define MODELPORT_TOOLS_LOAD_REGISTRY_H_

#include "absl/status/statusor.h"
#include "registry/registry.h"

namespace modelport {

// The registry with the plugins of --plugin_path, a flag that every tool with this function has. A relative path is
// resolved by ResolveUserPath. Errors as for Registry::Load.
absl::StatusOr<Registry> LoadRegistry();

}  // namespace modelport

#endif  // MODELPORT_TOOLS_LOAD_REGISTRY_H_
