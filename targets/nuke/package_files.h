#ifndef MODELPORT_TARGETS_NUKE_PACKAGE_FILES_H_
#define MODELPORT_TARGETS_NUKE_PACKAGE_FILES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "common/manifest/manifest.pb.h"
#include "targets/package_file.h"

namespace modelport {

// The files beside the artifact and its manifest in a folder for Nuke's Cattery: the script that converts the artifact,
// the gizmo, cat.json, icons, README.md, init.py and menu.py. Equal manifests give equal files. Fails as CheckNukeUses
// does.
absl::StatusOr<std::vector<PackageFile>> NukePackageFiles(const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_PACKAGE_FILES_H_
