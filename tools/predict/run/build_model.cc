#include "tools/predict/run/build_model.h"

#include <memory>
#include <utility>

#include "artifact/build/build_artifact.h"
#include "artifact/manifest/weights_audit.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

absl::StatusOr<LoadedArtifact> Build(const Registry& registry, const ArtifactRequest& request, bool allow_nonfinite) {
  ASSIGN_OR_RETURN(ArtifactPlan plan, PlanArtifact(registry, request));
  ASSIGN_OR_RETURN(Artifact artifact, BuildArtifact(request, std::move(plan)));
  ASSIGN_OR_RETURN(FormattedArtifact formatted, FormatArtifact(request, std::move(artifact)));
  WeightsAudit audit(request, formatted);
  RETURN_IF_ERROR(formatted.prepared->CheckCanRun());
  RETURN_IF_ERROR(audit.Finish(registry, allow_nonfinite));
  RETURN_IF_ERROR(CheckUnchanged(formatted.artifact.weights));
  return LoadedArtifact{.path = request.entry.variant->name,
                        .module = std::move(formatted.artifact.built.module),
                        .borrowed = std::make_shared<ArtifactWeights>(std::move(formatted.artifact.weights)),
                        .manifest = std::move(formatted.manifest)};
}

}  // namespace

absl::StatusOr<LoadedArtifact> BuildModel(const Registry& registry, const ArtifactRequest& request,
                                          bool allow_nonfinite) {
  absl::StatusOr<LoadedArtifact> built = Build(registry, request, allow_nonfinite);
  if (!built.ok()) return WithPaths(built.status(), request);
  return built;
}

}  // namespace modelport
