#ifndef MODELPORT_COMMON_MODULE_TREE_CHECK_TYPES_H_
#define MODELPORT_COMMON_MODULE_TREE_CHECK_TYPES_H_

#include "absl/status/status.h"
#include "common/module_tree/module_library.h"

namespace modelport {

// Checks what must hold of a library's own types whatever their arguments are: every name in an expression is an
// argument or a module type, every called type exists, and every call fits its callee's signature.
//   InvalidArgument  all problems
absl::Status CheckTypes(const ModuleLibrary& library);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_CHECK_TYPES_H_
