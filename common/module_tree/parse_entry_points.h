#ifndef MODELPORT_COMMON_MODULE_TREE_PARSE_ENTRY_POINTS_H_
#define MODELPORT_COMMON_MODULE_TREE_PARSE_ENTRY_POINTS_H_

#include <vector>

#include "common/module_tree/entry_point.h"
#include "common/yaml/document.h"
#include "common/yaml/problems.h"

namespace modelport {

// Parses the field `entry_points` of a module type: for each method its inputs and outputs. What is wrong with it is
// added to `problems`.
std::vector<EntryPointDecl> ParseEntryPoints(const std::vector<YamlValue::Field>& methods, YamlProblems* problems);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_PARSE_ENTRY_POINTS_H_
