#ifndef MODELPORT_ARTIFACT_BUILD_TARGET_MODULE_H_
#define MODELPORT_ARTIFACT_BUILD_TARGET_MODULE_H_

#include <ATen/core/Tensor.h>

#include <vector>

#include "absl/status/statusor.h"
#include "common/expression/expression.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/module_fwd.h"
#include "registry/registry.h"
#include "registry/target_tree.h"
#include "targets/target/target.h"

namespace modelport {

// Builds the module of an artifact for `target` from its tree. `tensors` fill the slots of the whole tree.
// The text is compiled for `runtime`, if one is given; CheckRuntime tells whether that runtime can run it.
//   InvalidArgument  the plugin's text does not compile
absl::StatusOr<torch::jit::Module> BuildTargetModule(const TargetTree& tree, const std::vector<at::Tensor>& tensors,
                                                     const Target& target, const Runtime* runtime);

// The calls that the round trip of an artifact makes: those of the wrapper, or else of the plugin.
std::vector<Call> TargetExamples(const CatalogEntry& entry, const TargetTree& tree);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_TARGET_MODULE_H_
