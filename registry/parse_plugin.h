#ifndef MODELPORT_REGISTRY_PARSE_PLUGIN_H_
#define MODELPORT_REGISTRY_PARSE_PLUGIN_H_

#include "absl/status/statusor.h"
#include "common/yaml/document.h"
#include "registry/plugin.h"

namespace modelport {

// Parses a plugin.yaml. The library, the key map, the digests and what an `extends` takes over are left empty.
//   InvalidArgument  every problem of the file
absl::StatusOr<Plugin> ParsePlugin(const YamlFile& file);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_PARSE_PLUGIN_H_
