#ifndef MODELPORT_COMMON_MODULE_TREE_PARSE_INTERFACE_H_
#define MODELPORT_COMMON_MODULE_TREE_PARSE_INTERFACE_H_

#include "common/module_tree/interface.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// Parses the field `interface` of a module type. What is wrong with it is added to `problems`.
InterfaceDecl ParseInterface(const YamlValue& value, YamlProblems* problems);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_PARSE_INTERFACE_H_
