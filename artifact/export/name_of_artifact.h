#ifndef MODELPORT_ARTIFACT_EXPORT_NAME_OF_ARTIFACT_H_
#define MODELPORT_ARTIFACT_EXPORT_NAME_OF_ARTIFACT_H_

#include <string>

#include "absl/status/statusor.h"
#include "artifact/export/export_model.h"
#include "registry/registry.h"

namespace modelport {

// The name of the artifact that ExportModel would make, as ArtifactName says: "resnet50", "resnet50_classes".
//   InvalidArgument  as FindWrapper
absl::StatusOr<std::string> NameOfArtifact(const CatalogEntry& entry, const ExportOptions& options);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_EXPORT_NAME_OF_ARTIFACT_H_
