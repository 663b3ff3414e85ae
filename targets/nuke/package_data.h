#ifndef MODELPORT_TARGETS_NUKE_PACKAGE_DATA_H_
#define MODELPORT_TARGETS_NUKE_PACKAGE_DATA_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/manifest/manifest.pb.h"
#include "common/text/template.h"

namespace modelport {

// Whether Nuke can use the artifact. What the round trip did not see is not asked for.
//   FailedPrecondition  no Nuke loads the artifact, or the round trip saw no image of at most four channels
absl::Status CheckNukeUses(const Manifest& manifest);

// What the templates of a package say of the artifact, which is proven. Fails as CheckNukeUses does.
absl::StatusOr<TemplateData> NukePackageData(const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_PACKAGE_DATA_H_
