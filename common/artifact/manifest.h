#ifndef MODELPORT_COMMON_ARTIFACT_MANIFEST_H_
#define MODELPORT_COMMON_ARTIFACT_MANIFEST_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/artifact/manifest.pb.h"

namespace modelport {

// Where the manifest of an artifact lies: "out/m.manifest.json" for "out/m.pt".
std::string ManifestPath(absl::string_view artifact_path);

// The manifest as indented JSON with every field, equal bytes for equal manifests.
absl::StatusOr<std::string> WriteManifest(const Manifest& manifest);

// The inverse of WriteManifest. Messages begin with `path`, the file that `json` was read from.
//   InvalidArgument  not JSON, an unknown field, or a value of another type
absl::StatusOr<Manifest> ParseManifest(absl::string_view json, absl::string_view path);

}  // namespace modelport

#endif  // MODELPORT_COMMON_ARTIFACT_MANIFEST_H_
