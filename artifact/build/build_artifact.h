// The one way from a request and weights to what an artifact holds: export writes it, verify compares with it, parity
// runs it.
#ifndef MODELPORT_ARTIFACT_BUILD_BUILD_ARTIFACT_H_
#define MODELPORT_ARTIFACT_BUILD_BUILD_ARTIFACT_H_

#include <vector>

#include "absl/status/statusor.h"
#include "artifact/build/bind_parts.h"
#include "artifact/build/describe_module.h"
#include "artifact/build/target_tree.h"
#include "artifact/request/artifact_request.h"
#include "common/expression/expression.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

struct Artifact {
  TargetTree tree;
  ArtifactWeights weights;
  BuiltModule built = {};           // Borrows from `weights`.
  std::vector<Call> examples = {};  // The calls that its round trip makes: those of the wrapper, or else of the plugin.
  Manifest manifest = {};           // Without what describe_export.h adds: source, file and proof.
};

// Builds what `request` asks for of `tree`, which BuildTargetTree made for it, and of the weights for all slots that
// the tree keeps of the model. The text is compiled for the runtime, if the request names one; CheckRuntime tells
// whether that can run it.
//   InvalidArgument  the plugin's text does not compile
absl::StatusOr<Artifact> BuildArtifact(const ArtifactRequest& request, TargetTree tree, ArtifactWeights weights);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_BUILD_ARTIFACT_H_
