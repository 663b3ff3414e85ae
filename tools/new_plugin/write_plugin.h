#ifndef MODELPORT_TOOLS_NEW_PLUGIN_WRITE_PLUGIN_H_
#define MODELPORT_TOOLS_NEW_PLUGIN_WRITE_PLUGIN_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "tools/new_plugin/draft_plugin.h"

namespace modelport {

// Puts a first line into each YAML file of `draft` that names its JSON Schema, in the folder `schemas`, for editors.
void NameSchemas(const std::string& schemas, PluginDraft* draft);

// Writes the files of `draft` into the new folder `path`: all of them, or none. Errors as those of
// OutputFolder::Create; AlreadyExists if there is something at `path`.
absl::Status WritePlugin(const PluginDraft& draft, const std::string& path);

// Adds `family` to the list PLUGINS in the file `path`, a models/plugins.bzl. Returns false and leaves the file as it
// is if the list has not the form that AddToPluginList edits.
//   NotFound  no such file; other errors as those of OutputFile
absl::StatusOr<bool> ListPlugin(const std::string& path, const std::string& family);

// The text of a models/plugins.bzl, `text`, with `family` in its sorted list PLUGINS; unchanged if the list has it.
// nullopt if `text` has not the form that this can edit: `PLUGINS = [`, lines of one name each, and `]`.
absl::optional<std::string> AddToPluginList(absl::string_view text, absl::string_view family);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_NEW_PLUGIN_WRITE_PLUGIN_H_
