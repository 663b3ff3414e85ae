#ifndef MODELPORT_REGISTRY_TOY_PLUGIN_H_
#define MODELPORT_REGISTRY_TOY_PLUGIN_H_

#include "registry/plugin_folder.h"

namespace modelport {

// The plugin that docs/plugins.md shows, at the path "docs/toy". The test needs //docs:plugins.md as data.
PluginFolder ReadToyPlugin();

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_TOY_PLUGIN_H_
