// The one way from a request to what an artifact holds: export writes it, verify compares with it, parity runs it. Two
// steps: plan, which opens the weights and reads none, and build.
#ifndef MODELPORT_ARTIFACT_BUILD_BUILD_ARTIFACT_H_
#define MODELPORT_ARTIFACT_BUILD_BUILD_ARTIFACT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "artifact/build/target_tree.h"
#include "artifact/format/artifact_format.h"
#include "artifact/format/built_module.h"
#include "artifact/format/stored_artifact.h"
#include "artifact/request/artifact_request.h"
#include "common/expression/expression.h"
#include "common/manifest/manifest.pb.h"
#include "common/module_tree/keep_outputs.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/weights/weights.h"
#include "registry/recognise/assign_files.h"
#include "registry/recognise/map_weights.h"
#include "registry/registry.h"

namespace modelport {

// The weights of an artifact: tensors for all slots of a tree, from the checkpoints that fill its parts.
struct ArtifactWeights {
  std::vector<MappedPart> mapped = {};   // Empty if the tensors are an artifact's own.
  std::vector<BoundTensors> bound = {};  // Those of each part, which borrow from `mapped` or from that artifact.
  // "sha256:HEX" of each part or "seeded:v1:SEED"; empty if that is not known, or not yet.
  std::vector<std::string> sources = {};
};

// What an artifact is made of: its trees, and the weights that fill them.
struct ArtifactPlan {
  TargetTree tree;
  ArtifactWeights weights;
};

// Plans what `request` asks for, with its weights: they are opened and mapped onto the variant's tree. The error of a
// file that does not fit says which model of `registry` it fits.
//   errors  as BuildTargetTree and MapWeights
absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request);

// The same with the open checkpoints `given` in the place of the request's weights.
absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request,
                                          const std::vector<GivenCheckpoint>& given);

// The same with the tensors of `file`, an artifact of the request, which are borrowed from it.
//   errors  as BuildTargetTree and BorrowTensors
absl::StatusOr<ArtifactPlan> PlanArtifact(const ArtifactRequest& request, const StoredArtifact& file);

// The weights of a plan that PlanArtifact made for `request`, bound. `made` and errors as those of BindTensors.
absl::StatusOr<ArtifactWeights> BindWeights(const ArtifactRequest& request, ArtifactPlan plan,
                                            const std::string& made = "");

struct Artifact {
  const ArtifactFormat* format = nullptr;  // Never null.
  TargetTree tree;
  ArtifactWeights weights = {};
  BuiltModule built = {};                           // Borrows from `weights`.
  std::unique_ptr<PreparedArtifact> prepared = {};  // Of `built`.
  std::vector<Call> examples = {};  // The calls that its round trip makes: those of the wrapper, or else of the plugin.
  Manifest manifest = {};           // Without what describe_export.h adds: source, file and proof.
};

// Builds what `wanted` asks for by `plan`, which PlanArtifact made for it. The text is compiled for the runtime, if
// the request names one; CheckRuntime tells whether that can run it. `made` as that of BindTensors.
//   InvalidArgument  the plugin's text does not compile
//   others           as BindTensors and Prepare
absl::StatusOr<Artifact> BuildArtifact(const ArtifactRequest& wanted, ArtifactPlan plan, const std::string& made = "");

// Binds the parts of `weights` to what `kept` has of a model. The parts fill all of it, so that a checkpoint that lacks
// a tensor has been refused, whatever the artifact keeps. `made` and errors as those of BindTensors.
absl::Status BindParts(const KeptOutputs& kept, DType dtype, const std::string& made, ArtifactWeights& weights);

// FailedPrecondition if a checkpoint of `weights` has changed since it was opened.
absl::Status CheckUnchanged(const ArtifactWeights& weights);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_BUILD_ARTIFACT_H_
