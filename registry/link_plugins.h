#ifndef MODELPORT_REGISTRY_LINK_PLUGINS_H_
#define MODELPORT_REGISTRY_LINK_PLUGINS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "registry/plugin.h"
#include "registry/plugin_folder.h"

namespace modelport {

// Parses the plugins of `folders` and `replacements` and gives each the module types and key map of the families that
// it uses or extends. Sorted by family; a plugin of `replacements` replaces the plugin of the same family in `folders`.
// Their variants are checked as CheckPlugin does, but not those of `folders`, which come with the program, have been
// checked by a test, and would take longer than all the rest: a plugin is one of these if its own text and the texts of
// the families that it uses or extends are.
//   InvalidArgument  lists every problem of every file; two plugins or variants of one name, unknown families, circular
//                    `uses` or `extends`
absl::StatusOr<std::vector<std::unique_ptr<const Plugin>>> LinkPlugins(const std::vector<PluginFolder>& folders,
                                                                       const std::vector<PluginFolder>& replacements);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_LINK_PLUGINS_H_
