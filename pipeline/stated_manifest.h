#ifndef MODELPORT_PIPELINE_STATED_MANIFEST_H_
#define MODELPORT_PIPELINE_STATED_MANIFEST_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/archive/artifact_file.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

// What an artifact is said to be, by whoever wrote its manifest.
struct StatedManifest {
  Manifest manifest;
  std::string path;     // Of the manifest's file, or of the artifact and its record, for messages.
  bool has_file_facts;  // It lies beside the artifact and so has the fields `artifact` and `round_trip`.
};

// Reads the manifest beside the artifact and the one in it, of which one may be missing. That beside a link is one, and
// so is that beside the file where the link leads.
//   NotFound            there is none
//   InvalidArgument     not a manifest
//   DataLoss            they differ
//   FailedPrecondition  another release of Modelport or LibTorch made the artifact
absl::StatusOr<StatedManifest> ReadStatedManifest(const ArtifactFile& file);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_STATED_MANIFEST_H_
