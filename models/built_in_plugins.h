#ifndef MODELPORT_MODELS_BUILT_IN_PLUGINS_H_
#define MODELPORT_MODELS_BUILT_IN_PLUGINS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/yaml/yaml_folder.h"

namespace modelport {

// The YAML files of the plugins that come with the program, sorted by path, such as "models/dinov2/plugin.yaml", and
// the folder of the program's data. They are read once, from the first of DataFolders() that has plugins.
//   NotFound   there is none
//   others     as ReadPluginFiles
const absl::StatusOr<YamlTree>& BuiltInPlugins();

// The folders in which the program at the path `program` may have its data: Bazel's runfiles, of its own or of the
// program or test whose data it is, and share/modelport beside the bin/ of a release.
std::vector<std::string> DataFolders(absl::string_view program);

// The files models/*/*.yaml and targets/*/*.yaml of the folder `root`, with paths from there.
//   others   as ReadYamlFolder
absl::StatusOr<YamlTree> ReadPluginFiles(const std::string& root);

}  // namespace modelport

#endif  // MODELPORT_MODELS_BUILT_IN_PLUGINS_H_
