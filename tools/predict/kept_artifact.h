#ifndef MODELPORT_TOOLS_PREDICT_KEPT_ARTIFACT_H_
#define MODELPORT_TOOLS_PREDICT_KEPT_ARTIFACT_H_

#include <string>

#include "absl/status/statusor.h"
#include "artifact/export/export_model.h"
#include "registry/registry.h"

namespace modelport {

// The folder of kept artifacts: $XDG_CACHE_HOME/modelport, else ~/.cache/modelport. NotFound if neither variable is
// set.
absl::StatusOr<std::string> CacheFolder();

struct KeptArtifact {
  std::string path;
  bool exported_now = false;
};

// The artifact that `options` ask for, in `folder`, which is made if it does not exist. It is exported only if no
// artifact of equal inputs is there: release, model, plugin's texts, all other `options`, and either the seed or path,
// size and time of change of each file of weights. Its name tells them apart, so nothing is ever replaced by something
// else, and several processes may do this at the same time. `options.out` is not used.
//   PermissionDenied  `folder` exists and belongs to another user, or others may write there
//   others            as ExportModel
absl::StatusOr<KeptArtifact> KeepArtifact(const Registry& registry, ExportOptions options, const std::string& folder);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_KEPT_ARTIFACT_H_
