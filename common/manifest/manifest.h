#ifndef MODELPORT_COMMON_MANIFEST_MANIFEST_H_
#define MODELPORT_COMMON_MANIFEST_MANIFEST_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

// The ending that names of files beside an artifact do without. Those beside files of other formats have it:
// "m.onnx.manifest.json".
inline constexpr absl::string_view kArtifactEnding = ".pt";

// "out/m" for "out/m.pt" and for "out/m": artifacts of such names have one manifest and one signature.
absl::string_view WithoutArtifactEnding(absl::string_view artifact_path);

// The artifact's own path: where it leads if `artifact` is a link, since the files beside it lie beside the file
// itself. NotFound if the link leads nowhere.
absl::StatusOr<std::string> ArtifactRealPath(const std::string& artifact);

// Where the manifest of an artifact lies: "out/m.manifest.json" for "out/m.pt".
std::string ManifestPath(absl::string_view artifact_path);

// Where the weights of an ONNX file lie that are not in it: "out/m.onnx.data" for "out/m.onnx"; and the name by which
// it names that file: "m.onnx.data".
std::string DataFilePath(absl::string_view artifact_path);
std::string DataFileName(absl::string_view artifact_path);

// The name of an archive's extra file that holds the artifact's manifest.
inline constexpr char kManifestExtraFile[] = "modelport.manifest.json";

// The manifest as indented JSON with every field, equal bytes for equal manifests.
absl::StatusOr<std::string> WriteManifest(const Manifest& manifest);

// The inverse of WriteManifest, which must reproduce `json` exactly, so that every JSON parser reads the same values.
// Messages begin with `path`, the file that `json` was read from.
//   DataLoss         empty, or cut short
//   InvalidArgument  not JSON, an unknown field, a value of another type, a duplicate field, another order, other
//                    spaces, or more than 1 MiB
absl::StatusOr<Manifest> ParseManifest(absl::string_view json, absl::string_view path);

// Reads a manifest of any release and version and ignores the fields that this release does not know. Returns an empty
// manifest if `json` cannot be parsed.
Manifest ParseKnownFields(absl::string_view json);

}  // namespace modelport

#endif  // MODELPORT_COMMON_MANIFEST_MANIFEST_H_
