#ifndef MODELPORT_COMMON_MODULE_TREE_MODULE_LIBRARY_H_
#define MODELPORT_COMMON_MODULE_TREE_MODULE_LIBRARY_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/module_tree/module_type.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// The module types and free functions that a plugin can use: its own and those of the plugins that it names under
// `uses`.
class ModuleLibrary {
 public:
  // Adds every module type and function of a modules file, which artifacts call `name`. All problems of the file are
  // reported in one status.
  //   InvalidArgument  models/family/modules.yaml:41:5: unknown field "paramaters" in Attention; nearest: parameters
  absl::Status AddFile(const YamlFile& file, const std::string& name);
  absl::Status AddFile(const YamlFile& file) { return AddFile(file, file.path); }

  // Adds every type and function of `used`. Types are shared by pointer, so including one type twice is no error.
  //   InvalidArgument  two different types of one name; both places are named
  absl::Status Include(const ModuleLibrary& used);

  // `text`, a message about the code of artifacts, with the paths of the library's files in place of their names:
  //   File "models/toy/modules.yaml", line 3   becomes   File "plugins/toy/modules.yaml", line 3
  //   at models/toy/modules.yaml:3             becomes   at plugins/toy/modules.yaml:3
  std::string WithPaths(absl::string_view text) const;

  // Null if there is no such type.
  const ModuleType* Find(absl::string_view name) const;

  // Names of all types, sorted.
  std::vector<std::string> names() const;

  // The types added by AddFile, in that order.
  const std::vector<std::shared_ptr<const ModuleType>>& own_types() const { return own_types_; }

  // TorchScript free functions, in the order they were added; each may call those before it.
  const std::vector<SourceText>& functions() const { return functions_; }

 private:
  std::map<std::string, std::shared_ptr<const ModuleType>, std::less<>> types_;
  std::vector<std::shared_ptr<const ModuleType>> own_types_;
  std::vector<SourceText> functions_;
};

// What a modules file states.
struct ModulesFile {
  std::vector<ModuleType> types;
  std::vector<SourceText> functions;
};

// Parses a modules file. What cannot be understood is added to `problems` and left out.
ModulesFile ParseModules(const YamlFile& file, YamlProblems* problems);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_MODULE_LIBRARY_H_
