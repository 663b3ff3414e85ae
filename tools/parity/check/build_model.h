#ifndef MODELPORT_TOOLS_PARITY_CHECK_BUILD_MODEL_H_
#define MODELPORT_TOOLS_PARITY_CHECK_BUILD_MODEL_H_

#include <torch/csrc/jit/api/module.h>

#include <vector>

#include "absl/status/statusor.h"
#include "artifact/export/export_model.h"
#include "common/expression/expression.h"
#include "common/torchscript/weights/bind_tensors.h"
#include "registry/recognise/map_weights.h"
#include "registry/registry.h"
#include "registry/target_tree.h"

namespace modelport {

// The module that an export would write, in memory. It borrows from the other members.
struct BuiltModel {
  TargetTree tree;
  std::vector<MappedPart> weights;
  std::vector<BoundTensors> bound;
  torch::jit::Module module;
  std::vector<Call> examples;  // The calls that a round trip makes.
};

// Builds the module that ExportModel writes with these options; `out` is not used.
//   InvalidArgument     the plugin's text does not compile
//   FailedPrecondition  the checkpoint does not fit the model
//   others              as OpenCheckpoint
absl::StatusOr<BuiltModel> BuildModel(const Registry& registry, const CatalogEntry& entry,
                                      const ExportOptions& options);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PARITY_CHECK_BUILD_MODEL_H_
