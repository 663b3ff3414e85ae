#include "artifact/build/build_artifact.h"

#include "artifact/build/describe_module.h"
#include "common/status/status_macros.h"

namespace modelport {

absl::StatusOr<Artifact> BuildArtifact(const ArtifactRequest& request, WeightsFor weights_for) {
  Artifact artifact;
  ASSIGN_OR_RETURN(artifact.tree, BuildTargetTree(request));
  ASSIGN_OR_RETURN(artifact.weights, weights_for(artifact.tree));
  ASSIGN_OR_RETURN(artifact.built, BuildTargetModule(request, artifact.tree, AllTensors(artifact.weights)));
  artifact.examples = TargetExamples(request, artifact.tree);
  artifact.manifest = DescribeModule(request, artifact.tree, artifact.built);
  return artifact;
}

}  // namespace modelport
