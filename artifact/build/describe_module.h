#ifndef MODELPORT_ARTIFACT_BUILD_DESCRIBE_MODULE_H_
#define MODELPORT_ARTIFACT_BUILD_DESCRIBE_MODULE_H_

#include <torch/csrc/jit/api/module.h>

#include <vector>

#include "artifact/build/target_tree.h"
#include "artifact/request/artifact_request.h"
#include "common/manifest/manifest.pb.h"
#include "common/torchscript/runtime/operators.h"
#include "common/torchscript/runtime/runtime.h"
#include "registry/plugin.h"

namespace modelport {

// A module, and what decides which runtimes can run it.
struct BuiltModule {
  torch::jit::Module module;
  std::vector<Operator> operators;
  ArchiveFormat format;  // In which it is written.
};

// Begins the manifest of an artifact: all fields but those that describe_export.h adds, about the source of the
// weights, the file and the proof. `preprocessing` is that of the variant, `built` the module of `tree.whole`.
Manifest DescribeModule(const ArtifactRequest& request, const Preprocessing& preprocessing, const TargetTree& tree,
                        const BuiltModule& built);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_DESCRIBE_MODULE_H_
