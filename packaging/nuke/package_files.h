#ifndef MODELPORT_PACKAGING_NUKE_PACKAGE_FILES_H_
#define MODELPORT_PACKAGING_NUKE_PACKAGE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/artifact/manifest.pb.h"
#include "registry/registry.h"

namespace modelport {

struct PackageFile {
  std::string name;  // "dav2_vits.gizmo"
  std::string text;
};

// What stands beside the artifact of `entry` and its manifest in a folder for Nuke's Cattery:
// the script that converts it, the gizmo, cat.json, icons, README.md, init.py and menu.py. Equal manifests give equal
// files.
//   FailedPrecondition  no Nuke loads the artifact, or the round trip saw no image of at most four channels
absl::StatusOr<std::vector<PackageFile>> NukePackageFiles(const CatalogEntry& entry, const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_PACKAGING_NUKE_PACKAGE_FILES_H_
