#ifndef MODELPORT_PACKAGING_NUKE_PACKAGE_DATA_H_
#define MODELPORT_PACKAGING_NUKE_PACKAGE_DATA_H_

#include "absl/status/statusor.h"
#include "common/artifact/manifest.pb.h"
#include "common/text/template.h"
#include "registry/registry.h"

namespace modelport {

// What the templates of a package say of the artifact of `entry`.
//   FailedPrecondition  no Nuke loads the artifact, or the round trip saw no image of at most four channels
absl::StatusOr<TemplateData> NukePackageData(const CatalogEntry& entry, const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_PACKAGING_NUKE_PACKAGE_DATA_H_
