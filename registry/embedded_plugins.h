#ifndef MODELPORT_REGISTRY_EMBEDDED_PLUGINS_H_
#define MODELPORT_REGISTRY_EMBEDDED_PLUGINS_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace modelport {

// A plugin's file, compiled into the binary.
struct EmbeddedFile {
  absl::string_view path;  // "models/dinov2/plugin.yaml"
  absl::string_view text;
};

// Every YAML file of the plugins listed in models/BUILD; //models:catalog defines it.
absl::Span<const EmbeddedFile> EmbeddedPlugins();

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_EMBEDDED_PLUGINS_H_
