#include "artifact/build/build_artifact.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status/status_macros.h"
#include "common/torchscript/archive/save_module.h"
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

absl::StatusOr<BuiltModule> BuildTargetModule(const ArtifactRequest& request, const TargetTree& tree,
                                              const ArtifactWeights& weights) {
  BuiltModule built;
  ASSIGN_OR_RETURN(built.module, BuildModule(*tree.whole, AllTensors(weights), OperatorsOf(request.runtime)));
  if (request.target->wraps) RETURN_IF_ERROR(KeepForward(*tree.whole->root.type, *request.target, built.module));
  RETURN_IF_ERROR(CheckEntryPoints(built.module, tree.whole->entry_points));
  built.operators = CollectOperators(built.module);
  built.format = WrittenFormat(request.runtime, built.operators);
  return built;
}

}  // namespace

absl::StatusOr<Artifact> BuildArtifact(const ArtifactRequest& request, TargetTree tree, ArtifactWeights weights) {
  Artifact artifact = {.tree = std::move(tree), .weights = std::move(weights)};
  ASSIGN_OR_RETURN(artifact.built, BuildTargetModule(request, artifact.tree, artifact.weights));
  artifact.examples =
      artifact.tree.is_wrapped() ? artifact.tree.whole->interface->examples : request.entry.plugin->examples;
  artifact.manifest = DescribeModule(request, artifact.tree, artifact.built);
  return artifact;
}

}  // namespace modelport
