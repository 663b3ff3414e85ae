// Drafts of plugins: the files of a new folder in models/.
#ifndef MODELPORT_TOOLS_NEW_PLUGIN_DRAFT_PLUGIN_H_
#define MODELPORT_TOOLS_NEW_PLUGIN_DRAFT_PLUGIN_H_

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace modelport

#endif  // MODELPORT_TOOLS_NEW_PLUGIN_DRAFT_PLUGIN_H_
