#ifndef MODELPORT_TOOLS_INSPECT_PRINT_ARTIFACT_H_
#define MODELPORT_TOOLS_INSPECT_PRINT_ARTIFACT_H_

#include <cstdint>
#include <ostream>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/manifest/manifest.pb.h"
#include "nlohmann/json_fwd.hpp"

namespace modelport {

// An artifact as its bytes and its manifests describe it. Anybody may have written the manifests.
struct ArtifactDescription {
  std::string path;
  int64_t size_bytes = 0;
  std::string sha256 = {};
  absl::optional<Manifest> within = {};  // In the file; as ManifestWithin.
  absl::optional<Manifest> beside = {};  // Beside the file; states its sha256.
  std::string signature = {};            // The path of a signature beside the file, which is not read; "" for none.
};

// Describes the file at `path`. None of its code runs. Manifests of any release are
// read; a file that Modelport did not write has none. If `path` is a link, what lies beside the file itself counts.
//   DataLoss            of no format of artifacts, or damaged; or the manifest beside it describes another file, or
//                       another data file
//   FailedPrecondition  it changed while it was read
//   others              as OpenArtifact
absl::StatusOr<ArtifactDescription> DescribeArtifact(const std::string& path);

// The same for a program, as docs/json.md says.
nlohmann::ordered_json ArtifactReport(const ArtifactDescription& description);

// Prints a table: the file and its sha256, then what its manifest says of model, weights, target, runtimes, channels,
// methods, knobs and proof.
void PrintArtifact(const ArtifactDescription& description, std::ostream& out);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_INSPECT_PRINT_ARTIFACT_H_
