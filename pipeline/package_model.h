// Exports one variant into a folder ready for its host.
#ifndef MODELPORT_PIPELINE_PACKAGE_MODEL_H_
#define MODELPORT_PIPELINE_PACKAGE_MODEL_H_

#include "absl/status/statusor.h"
#include "common/artifact/manifest.pb.h"
#include "pipeline/export_model.h"
#include "registry/registry.h"

namespace modelport {

// Exports to NAME.pt in the new folder `options.out`, NAME being the variant's, and writes beside it what
// packaging/nuke/package_files.h lists. The folder appears whole or not at all.
//   InvalidArgument     a target that has no packages, no proof, a dtype that Nuke lacks; or as ExportModel
//   FailedPrecondition  Nuke cannot use the artifact; or as ExportModel
//   AlreadyExists       there is something at `options.out`
//   other codes         as ExportModel
absl::StatusOr<Manifest> PackageModel(const Registry& registry, const CatalogEntry& entry,
                                      const ExportOptions& options);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_PACKAGE_MODEL_H_
