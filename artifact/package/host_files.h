#ifndef MODELPORT_ARTIFACT_PACKAGE_HOST_FILES_H_
#define MODELPORT_ARTIFACT_PACKAGE_HOST_FILES_H_

#include <string>

#include "absl/status/status.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

// Writes into `folder` what the host wants beside the artifact that `manifest` is about: see Target::package.
//   InvalidArgument  the manifest's target is not known, or has no packages
//   others           as OutputFile::WriteWhole
absl::Status WriteHostFiles(const Manifest& manifest, const std::string& folder);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_PACKAGE_HOST_FILES_H_
