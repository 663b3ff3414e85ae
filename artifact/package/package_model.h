// Exports one variant into a folder ready for its host.
#ifndef MODELPORT_ARTIFACT_PACKAGE_PACKAGE_MODEL_H_
#define MODELPORT_ARTIFACT_PACKAGE_PACKAGE_MODEL_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "artifact/export/export_model.h"
#include "common/manifest/manifest.pb.h"
#include "registry/registry.h"

namespace modelport {

// Draws what the artifact at the first path makes of an image, to the second. The folder is not yet at its place.
using DrawPicture = std::function<absl::Status(const std::string& artifact, const std::string& picture)>;

// Exports to NAME.pt, as NameOfArtifact names it, in the new folder `options.out` and writes the host's files beside
// it, see Target::package, and the picture that `draw` draws; null: none. The folder appears whole or not at all.
//   InvalidArgument     the target has no packages, or the options ask for no proof; or as ExportModel
//   AlreadyExists       there is something at `options.out`
//   other codes         as ExportModel and `draw`
absl::StatusOr<Manifest> PackageModel(const Registry& registry, const ExportOptions& options, const DrawPicture& draw);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_PACKAGE_PACKAGE_MODEL_H_
