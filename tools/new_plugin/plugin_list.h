#ifndef MODELPORT_TOOLS_NEW_PLUGIN_PLUGIN_LIST_H_
#define MODELPORT_TOOLS_NEW_PLUGIN_PLUGIN_LIST_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {

// The text of a models/plugins.bzl, `text`, with `family` in its sorted list PLUGINS; unchanged if the list has it.
// nullopt if `text` has not the form that this can edit: `PLUGINS = [`, lines of one name each, and `]`.
absl::optional<std::string> AddToPluginList(absl::string_view text, absl::string_view family);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_NEW_PLUGIN_PLUGIN_LIST_H_
