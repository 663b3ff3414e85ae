#ifndef MODELPORT_TARGETS_NUKE_PACKAGE_FILES_H_
#define MODELPORT_TARGETS_NUKE_PACKAGE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/manifest/manifest.pb.h"
#include "common/text/template.h"
#include "targets/target/target.h"

namespace modelport {

// The files beside the artifact and its manifest in a folder for Nuke's Cattery: the script that converts the artifact,
// the gizmo, cat.json, icons, README.md, convert.py, init.py and menu.py. README.md shows the picture of this name, ""
// for none. Equal manifests give equal files.
//   FailedPrecondition  as CheckNukeUses
absl::StatusOr<std::vector<PackageFile>> NukePackageFiles(const Manifest& manifest, const std::string& picture);

// The files of the folder for a node `name` that runs one of the artifacts of these manifests, of which each has its
// own folder: the gizmo, whose pulldown chooses, cat.json, icons, README.md, init.py and menu.py.
//   FailedPrecondition  two artifacts differ in what they take or give, or in their knobs; or as CheckNukeUses
absl::StatusOr<std::vector<PackageFile>> NukeChoiceFiles(const std::vector<Manifest>& manifests,
                                                         const std::string& name);

// Makes sure that Nuke can use the artifact, whose manifest has an interface.
//   FailedPrecondition  no Nuke loads the artifact, or a knob has the name of one that Nuke's node has itself
absl::Status CheckNukeUses(const Manifest& manifest);

}  // namespace modelport

#endif  // MODELPORT_TARGETS_NUKE_PACKAGE_FILES_H_
