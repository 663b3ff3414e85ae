#ifndef MODELPORT_ARTIFACT_BUILD_TARGET_MODULE_H_
#define MODELPORT_ARTIFACT_BUILD_TARGET_MODULE_H_

#include <ATen/core/Tensor.h>

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/expression/expression.h"
#include "common/module_tree/size_tables.h"
#include "common/tensor/image_size.h"
#include "common/torchscript/runtime/runtime.h"
#include "common/torchscript/script/module_fwd.h"
#include "registry/registry.h"
#include "registry/target_tree.h"
#include "targets/target/target.h"

namespace modelport {

// Builds the module of an artifact for `target` from its tree. `tensors` fill the slots of the whole tree.
// The text is compiled for `runtime`, if one is given; CheckRuntime tells whether that runtime can run it.
//   InvalidArgument  the plugin's text does not compile, or as FixSize
absl::StatusOr<torch::jit::Module> BuildTargetModule(const TargetTree& tree, const std::vector<at::Tensor>& tensors,
                                                     const Target& target, const Runtime* runtime);

// The calls that the round trip of an artifact makes: those of the wrapper, or else of the plugin; in an artifact for
// images of one size these with images of that size, equal calls once.
std::vector<Call> TargetExamples(const CatalogEntry& entry, const TargetTree& tree);

// Makes `module` one for images of `size` only: computes each of `tables`, all of its tree, and stores it in a buffer,
// which the table's method returns from then on. With any other size the method fails, and its message tells the size
// and the cure. Weights stay, also those that only the tables need.
//   InvalidArgument  a method cannot compute its table for this size
absl::Status FixSize(const std::vector<SizeTable>& tables, const ImageSize& size, torch::jit::Module& module);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_TARGET_MODULE_H_
