#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_KEEP_METHOD_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_KEEP_METHOD_H_

#include <string>

#include "absl/status/status.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Removes from the classes of `module` and its submodules every method that the method `name` of `module` does not
// call, directly or through others. Other modules that are still in use must not share these classes.
//   NotFound  `module` has no such method
absl::Status KeepMethod(const torch::jit::Module& module, const std::string& name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_KEEP_METHOD_H_
