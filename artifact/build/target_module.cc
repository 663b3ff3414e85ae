#include "artifact/build/target_module.h"

#include <torch/csrc/jit/api/module.h>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/torchscript/proof/check_entry_points.h"
#include "common/torchscript/runtime/operator_table.h"
#include "common/torchscript/script/build_module.h"
#include "common/torchscript/script/keep_method.h"

namespace modelport {
namespace {

// A host calls only forward. Other methods could have operators that an old runtime lacks.
absl::Status KeepForward(const ModuleType& wrapper, const Target& target, torch::jit::Module& module) {
  const absl::Status kept = KeepMethod(module, "forward");
  if (!absl::IsNotFound(kept)) return kept;
  return absl::InvalidArgumentError(absl::StrCat(MarkString(wrapper.mark), ": a wrapper for ", target.name,
                                                 " wants a method forward, ", wrapper.name(), " has none"));
}

}  // namespace

absl::StatusOr<torch::jit::Module> BuildTargetModule(const TargetTree& tree, const std::vector<at::Tensor>& tensors,
                                                     const Target& target, const Runtime* runtime) {
  ASSIGN_OR_RETURN(torch::jit::Module module, BuildModule(*tree.whole, tensors, OperatorsOf(runtime)));
  if (target.wraps) RETURN_IF_ERROR(KeepForward(*tree.whole->root.type, target, module));
  RETURN_IF_ERROR(CheckEntryPoints(module, tree.whole->entry_points));
  return module;
}

std::vector<Call> TargetExamples(const CatalogEntry& entry, const TargetTree& tree) {
  return tree.is_wrapped() ? tree.whole->interface->examples : entry.plugin->examples;
}
}  // namespace modelport
