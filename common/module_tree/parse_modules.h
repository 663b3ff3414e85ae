#ifndef MODELPORT_COMMON_MODULE_TREE_PARSE_MODULES_H_
#define MODELPORT_COMMON_MODULE_TREE_PARSE_MODULES_H_

#include <vector>

#include "common/module_tree/module_type.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// What a modules file states.
struct ModulesFile {
  std::vector<ModuleType> types;
  std::vector<SourceText> functions;
};

// Parses a modules file. What cannot be understood is added to `problems` and left out.
ModulesFile ParseModules(const YamlFile& file, YamlProblems* problems);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_PARSE_MODULES_H_
