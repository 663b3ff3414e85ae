// The weights of an artifact: tensors for all slots of a tree, from the checkpoints that fill its parts.
#ifndef MODELPORT_ARTIFACT_BUILD_BIND_PARTS_H_
#define MODELPORT_ARTIFACT_BUILD_BIND_PARTS_H_

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/module_tree/keep_outputs.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/weights/weights.h"
#include "registry/recognise/map_weights.h"

namespace modelport {

// The weights of an artifact.
struct ArtifactWeights {
  std::vector<MappedPart> mapped = {};   // Empty if the tensors are an artifact's own.
  std::vector<BoundTensors> bound = {};  // Those of each part, which borrow from `mapped` or from that artifact.
  // "sha256:HEX" of each part or "seeded:v1:SEED"; empty if that is not known, or not yet.
  std::vector<std::string> sources = {};
};

// Binds the parts of `weights` to what `kept` has of a model. The parts fill all of it, so that a checkpoint that lacks
// a tensor has been refused, whatever the artifact keeps. `made` and errors as those of BindTensors.
absl::Status BindParts(const KeptOutputs& kept, DType dtype, const std::string& made, ArtifactWeights& weights);

// The tensors of the whole tree in the order of its slots.
std::vector<at::Tensor> AllTensors(const ArtifactWeights& weights);

// FailedPrecondition if a checkpoint of `weights` has changed since it was opened.
absl::Status CheckUnchanged(const ArtifactWeights& weights);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_BIND_PARTS_H_
