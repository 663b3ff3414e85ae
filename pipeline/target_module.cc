#include "pipeline/target_module.h"

#include <torch/csrc/jit/api/module.h>

#include "absl/strings/str_cat.h"
#include "common/proof/check_entry_points.h"
#include "common/runtime/operator_table.h"
#include "common/script/build_module.h"
#include "common/script/keep_method.h"
#include "common/status/status_macros.h"

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

absl::StatusOr<torch::jit::Module> BuildTargetModule(const ModuleTree& tree, const std::vector<at::Tensor>& tensors,
                                                     const Target& target, const Runtime* runtime) {
  ASSIGN_OR_RETURN(torch::jit::Module module, BuildModule(tree, tensors, OperatorsOf(runtime)));
  if (target.wraps) RETURN_IF_ERROR(KeepForward(*tree.root.type, target, module));
  RETURN_IF_ERROR(CheckEntryPoints(module, tree.entry_points));
  return module;
}

const std::vector<Call>& TargetExamples(const CatalogEntry& entry, const TargetTree& tree) {
  return tree.is_wrapped() ? tree.whole->interface->examples : entry.plugin->examples;
}

}  // namespace modelport
