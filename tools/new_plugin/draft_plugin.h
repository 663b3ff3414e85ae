// Drafts of plugins: the files of a new folder in models/.
#ifndef MODELPORT_TOOLS_NEW_PLUGIN_DRAFT_PLUGIN_H_
#define MODELPORT_TOOLS_NEW_PLUGIN_DRAFT_PLUGIN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "registry/plugin_folder.h"

namespace modelport {

// The folder of a plugin that is not written yet.
struct PluginDraft {
  struct File {
    std::string name;  // "plugin.yaml"
    std::string text;
  };

  std::vector<File> files;  // plugin.yaml, modules.yaml, keymap.yaml, BUILD.
  std::string state_dict;   // The path of the dictionary that a draft was made from; "." for the root.
  std::vector<std::string> other_state_dicts;  // Those of the file's others.
  int64_t tensors = 0;                         // The slots of the plugin's one variant.
  int64_t parameters = 0;                      // Their elements.
  int types = 0;                               // The module types that it declares.
};

// A plugin of the family `name` with a small network that computes something, to be read and replaced. It has one
// variant, which is called `name`, too. `built_in` are the plugins with which it has to link; `layers` is among them.
//   InvalidArgument  `name` is not a valid name
//   AlreadyExists    a family or a variant of `built_in` has it
absl::StatusOr<PluginDraft> StarterPlugin(const BuiltIn& built_in, const std::string& name);

// The same with module types for the tensors of `checkpoint`: for those of the dictionary `state_dict`, or else of the
// one with the most tensors. The checkpoint fits the draft, which is checked as an export does it.
//   InvalidArgument     also: no such dictionary; keys that a plugin cannot name, or more than a plugin can hold
//   FailedPrecondition  the checkpoint does not fit the draft; the message says why
absl::StatusOr<PluginDraft> DraftPlugin(const BuiltIn& built_in, const std::string& name, const Checkpoint& checkpoint,
                                        const absl::optional<std::string>& state_dict);

// Puts a first line into each YAML file of `draft` that names its JSON Schema, in the folder `schemas`, for editors.
void NameSchemas(const std::string& schemas, PluginDraft* draft);

// Lets the BUILD file of `draft` load Modelport's rules from another repository, `modelport`, such as "@modelport".
void LoadRulesFrom(absl::string_view modelport, PluginDraft* draft);

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

#endif  // MODELPORT_TOOLS_NEW_PLUGIN_DRAFT_PLUGIN_H_
