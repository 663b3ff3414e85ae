// The one way from a request to what an artifact holds. Three steps: plan, which opens the weights and reads none;
// build, whose module parity runs; and prepare what export writes and verify compares with.
#ifndef MODELPORT_ARTIFACT_BUILD_BUILD_ARTIFACT_H_
#define MODELPORT_ARTIFACT_BUILD_BUILD_ARTIFACT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "artifact/build/target_tree.h"
#include "artifact/format/artifact_format.h"
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

// The same for `tree`, which BuildTargetTree made for `request`.
absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request, TargetTree tree);

// The same with the open checkpoints `given` in the place of the request's weights.
absl::StatusOr<ArtifactPlan> PlanArtifact(const Registry& registry, const ArtifactRequest& request, TargetTree tree,
                                          const std::vector<GivenCheckpoint>& given);

// The same with the tensors of `file`, an artifact of the request, which are borrowed from it.
//   errors  as BorrowTensors
absl::StatusOr<ArtifactPlan> PlanArtifact(const ArtifactRequest& request, TargetTree tree, const StoredArtifact& file);

// The weights of a plan that PlanArtifact made for `request`, bound. `made` and errors as those of BindTensors.
absl::StatusOr<ArtifactWeights> BindWeights(const ArtifactRequest& request, ArtifactPlan plan,
                                            const std::string& made = "");

// What an artifact is made of, as LibTorch runs it.
struct Artifact {
  TargetTree tree;
  ArtifactWeights weights = {};
  std::shared_ptr<BuiltModule> built = {};  // Borrows from `weights`.
  std::vector<Call> examples = {};  // The calls that its round trip makes: those of the wrapper, or else of the plugin.
};

// Builds what `request` asks for by `plan`, which PlanArtifact made for it. The text is compiled for the runtime, if
// the request names one; CheckRuntime tells whether that can run it. `made` as that of BindTensors.
//   InvalidArgument  the plugin's text does not compile
//   others           as BindTensors
absl::StatusOr<Artifact> BuildArtifact(const ArtifactRequest& request, ArtifactPlan plan, const std::string& made = "");

// An artifact in the format of its target.
struct FormattedArtifact {
  Artifact artifact;
  const ArtifactFormat* format = nullptr;           // Never null.
  std::unique_ptr<PreparedArtifact> prepared = {};  // Of the built module.
  Manifest manifest = {};                           // Without what describe_export.h adds: source, file and proof.
};

// Makes all of the artifact but the file. `artifact` is what BuildArtifact gave for `request`.
//   errors  as Prepare
absl::StatusOr<FormattedArtifact> FormatArtifact(const ArtifactRequest& request, Artifact artifact);

// Binds the parts of `weights` to what `kept` has of a model. The parts fill all of it, so that a checkpoint that lacks
// a tensor has been refused, whatever the artifact keeps. `made` and errors as those of BindTensors.
absl::Status BindParts(const KeptOutputs& kept, DType dtype, const std::string& made, ArtifactWeights& weights);

// `error`, which one of these gave for `request`, with the path of each file of the plugin whose lines it names.
absl::Status WithPaths(const absl::Status& error, const ArtifactRequest& request);

// FailedPrecondition if a checkpoint of `weights` has changed since it was opened.
absl::Status CheckUnchanged(const ArtifactWeights& weights);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_BUILD_ARTIFACT_H_
