#ifndef MODELPORT_COMMON_MODULE_TREE_CHECK_TYPES_H_
#define MODELPORT_COMMON_MODULE_TREE_CHECK_TYPES_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "common/module_tree/module_library.h"

namespace modelport {

// Checks what must hold of a library's own types whatever their arguments are: every name in an expression is an
// argument or a module type, every called type exists, and every call fits its callee's signature.
// `family_of` returns the family that has a module type which the library lacks, "" if none has it.
//   InvalidArgument  lists all problems; a type that another family has is listed at its first use only
absl::Status CheckTypes(const ModuleLibrary& library, absl::FunctionRef<std::string(absl::string_view type)> family_of);

// The error of a module type that a plugin lacks, and that `family` has.
std::string LentTypeError(absl::string_view type, absl::string_view family);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MODULE_TREE_CHECK_TYPES_H_
