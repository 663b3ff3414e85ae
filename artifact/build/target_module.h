#ifndef MODELPORT_ARTIFACT_BUILD_TARGET_MODULE_H_
#define MODELPORT_ARTIFACT_BUILD_TARGET_MODULE_H_

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/api/module.h>

#include <vector>

#include "absl/status/statusor.h"
#include "artifact/build/target_tree.h"
#include "artifact/request/artifact_request.h"
#include "common/expression/expression.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"

namespace modelport {

// A module, and what decides which runtimes can run it.
struct BuiltModule {
  torch::jit::Module module;
  std::vector<Operator> operators;
  ArchiveFormat format;  // In which it is written.
};

// Builds the module of the artifact that `request` asks for, from its tree. `tensors` fill the slots of the whole tree.
// The text is compiled for the runtime, if the request names one; CheckRuntime tells whether that can run it.
//   InvalidArgument  the plugin's text does not compile
absl::StatusOr<BuiltModule> BuildTargetModule(const ArtifactRequest& request, const TargetTree& tree,
                                              const std::vector<at::Tensor>& tensors);

// The calls that the round trip of the artifact makes: those of the wrapper, or else of the plugin.
std::vector<Call> TargetExamples(const ArtifactRequest& request, const TargetTree& tree);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_TARGET_MODULE_H_
