#ifndef MODELPORT_MODELS_EMBEDDED_PLUGINS_H_
#define MODELPORT_MODELS_EMBEDDED_PLUGINS_H_

#include "absl/types/span.h"
#include "common/text/embedded_file.h"

namespace modelport {

// The YAML files of all plugins that plugins.bzl lists, as a part of the program.
absl::Span<const EmbeddedFile> EmbeddedPlugins();

}  // namespace modelport

#endif  // MODELPORT_MODELS_EMBEDDED_PLUGINS_H_
