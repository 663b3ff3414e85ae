#ifndef MODELPORT_REGISTRY_PLUGIN_FOLDER_H_
#define MODELPORT_REGISTRY_PLUGIN_FOLDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/yaml/document.h"
#include "common/yaml/yaml_folder.h"

namespace modelport {

// The YAML files of one plugin, not yet parsed.
struct PluginFolder {
  std::string path;             // As messages name it: "models/dinov2".
  std::vector<YamlFile> files;  // Sorted by path.
  std::string place = {};       // The folder on this machine; empty: there is none.

  // The file of that name in the folder, such as "plugin.yaml"; null if there is none.
  const YamlFile* Find(absl::string_view name) const;

  // All files but plugin.yaml and keymap.yaml.
  std::vector<const YamlFile*> modules_files() const;
};

// The name of `file` in its folder: "modules.yaml".
absl::string_view FileName(const YamlFile& file);

// The files of the plugins that come with the program, or why they cannot be read: BuiltInPlugins() of models/, and
// none where --plugin_path has all that is needed.
using BuiltIn = absl::StatusOr<YamlTree>;

// The plugins that the files of `tree` make.
std::vector<PluginFolder> GroupByFolder(const YamlTree& tree);

// The plugins in the folder `path` and in all folders below it.
//   NotFound         there is none
//   InvalidArgument  more than 1000 of them, or a file of one is named .yml or is not a regular file
//   others           as ReadYamlFolder
absl::StatusOr<std::vector<PluginFolder>> ReadPluginFolders(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_PLUGIN_FOLDER_H_
