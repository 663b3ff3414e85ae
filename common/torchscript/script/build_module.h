#ifndef MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_BUILD_MODULE_H_
#define MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_BUILD_MODULE_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/module_tree/module_tree.h"
#include "common/torchscript/script/graph_operators.h"
#include "common/torchscript/script/module_fwd.h"

namespace modelport {

// Makes the TorchScript module of `tree`, in eval mode: every module has torch.nn's attribute `training`, which is
// false. `tensors` has one tensor for each of tree.slots, of its shape; the module shares them and copies nothing.
// `has_operator` answers the text's hasattr(torch, "NAME").
//   InvalidArgument  the plugin's text does not compile; names the plugin's file and line
absl::StatusOr<torch::jit::Module> BuildModule(const ModuleTree& tree, const std::vector<at::Tensor>& tensors,
                                               HasOperator has_operator = CompilerHasOperator);

// The words in the text of the tree's methods and of the functions that these words name. The free functions that the
// methods call, themselves or through other functions, are among them. The words lie in the tree's library.
absl::flat_hash_set<absl::string_view> CalledNames(const ModuleTree& tree);

// Removes from the classes of `module` and its submodules every method that the method `name` of `module` does not
// call, directly or through others. Other modules that are still in use must not share these classes.
//   NotFound  `module` has no such method
absl::Status KeepMethod(const torch::jit::Module& module, const std::string& name);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TORCHSCRIPT_SCRIPT_BUILD_MODULE_H_
