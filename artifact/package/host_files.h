#ifndef MODELPORT_ARTIFACT_PACKAGE_HOST_FILES_H_
#define MODELPORT_ARTIFACT_PACKAGE_HOST_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/manifest/manifest.pb.h"
#include "targets/target/target.h"

namespace modelport {

// Writes into `folder` what the host wants beside the artifact that `manifest` is about, and beside the file `picture`,
// "" for none: see Target::package; and kLicenceFile, if the manifest holds the text of the weights' licence.
//   InvalidArgument  the manifest's target is not known, or has no packages
//   others           as OutputFile::WriteWhole
absl::Status WriteHostFiles(const Manifest& manifest, const std::string& folder, const std::string& picture = "");

// The picture of a package, beside its artifact.
std::string PicturePath(const std::string& artifact);

// Writes the new folder `path` for a node `name` that runs one of the artifacts of these manifests, of a target that
// has such nodes: see Target::choice. The folder appears whole or not at all.
//   AlreadyExists  there is something at `path`
//   others         as Target::choice and OutputFile::WriteWhole
absl::Status WriteChoice(const Target& target, const std::vector<Manifest>& manifests, const std::string& name,
                         const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_PACKAGE_HOST_FILES_H_
