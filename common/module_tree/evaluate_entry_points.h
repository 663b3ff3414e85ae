#ifndef MODELPORT_COMMON_MODULE_TREE_EVALUATE_ENTRY_POINTS_H_
#define MODELPORT_COMMON_MODULE_TREE_EVALUATE_ENTRY_POINTS_H_

#include <vector>

#include "common/expression/expression.h"
#include "common/module_tree/entry_point.h"
#include "common/module_tree/module_library.h"
#include "common/module_tree/module_tree.h"
#include "common/module_tree/module_type.h"
#include "common/yaml/problems.h"

namespace modelport {

// The entry points of a module of `type`, whose arguments are `scope`. `wrapped` is the tree that it wraps, null if it
// is no wrapper: `as: model.forward` is about that tree's root. What is wrong is added to `problems`: an expression,
// two ports of one name, an `as` that names nothing. From a module whose type states no entry points `as` takes
// nothing.
std::vector<EntryPoint> EvaluateEntryPoints(const ModuleType& type, const Scope& scope, const ModuleLibrary& library,
                                            const ModuleTree* wrapped, YamlProblems* problems);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_EVALUATE_ENTRY_POINTS_H_
