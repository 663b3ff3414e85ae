#ifndef MODELPORT_TOOLS_PREDICT_RUN_BUILD_MODEL_H_
#define MODELPORT_TOOLS_PREDICT_RUN_BUILD_MODEL_H_

#include "absl/status/statusor.h"
#include "artifact/request/artifact_request.h"
#include "registry/registry.h"
#include "tools/predict/run/load_artifact.h"

namespace modelport {

// Builds, in memory, the artifact that `request` asks for, which takes images. Its weights are checked as those of an
// export: values that are not finite are refused, unless `allow_nonfinite`.
//   errors  as PlanArtifact, BuildArtifact, FormatArtifact, CheckCanRun and WeightsAudit::Finish
absl::StatusOr<LoadedArtifact> BuildModel(const Registry& registry, const ArtifactRequest& request,
                                          bool allow_nonfinite);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_RUN_BUILD_MODEL_H_
