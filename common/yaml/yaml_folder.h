#ifndef MODELPORT_COMMON_YAML_YAML_FOLDER_H_
#define MODELPORT_COMMON_YAML_YAML_FOLDER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/yaml/document.h"

namespace modelport {

// YAML files below a folder, each with its path from there.
struct YamlTree {
  std::string root;
  std::vector<YamlFile> files;
};

// The files of `folder` whose names end in .yaml, sorted by path, without those of its subfolders. Of a file of more
// than kMaxYamlSize only the beginning, which the parser refuses for its size. Messages begin with the path.
//   InvalidArgument  one is named .yml or is not a regular file
//   Unavailable      the folder cannot be listed
//   others           as MappedFile::Open
absl::StatusOr<std::vector<YamlFile>> ReadYamlFolder(const std::string& folder);

}  // namespace modelport

#endif  // MODELPORT_COMMON_YAML_YAML_FOLDER_H_
