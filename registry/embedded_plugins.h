#ifndef MODELPORT_REGISTRY_EMBEDDED_PLUGINS_H_
#define MODELPORT_REGISTRY_EMBEDDED_PLUGINS_H_

#include "absl/types/span.h"
#include "common/text/embedded_file.h"

namespace modelport {

// Every YAML file of the plugins listed in models/BUILD. The target //models:catalog defines this function.
absl::Span<const EmbeddedFile> EmbeddedPlugins();

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_EMBEDDED_PLUGINS_H_
