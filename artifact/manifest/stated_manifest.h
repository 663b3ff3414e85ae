#ifndef MODELPORT_ARTIFACT_MANIFEST_STATED_MANIFEST_H_
#define MODELPORT_ARTIFACT_MANIFEST_STATED_MANIFEST_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "artifact/format/stored_artifact.h"
#include "artifact/signature/artifact_signature.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

// The manifest that came with an artifact. Anybody may have written it.
struct StatedManifest {
  Manifest manifest;
  std::string path;  // Of the manifest's file, or of the artifact and its record, for messages.
  bool is_whole;     // True for a manifest beside the artifact; the one in it lacks fields: see ManifestWithin.
  // Why this release cannot make the artifact anew, "another release made the artifact: ...", if another one made it;
  // of its fields, those that this release does not know are left out. Else "".
  std::string other_release = {};
};

// A field of a manifest that tells what made the artifact.
struct StatedField {
  absl::string_view name;
  std::string wanted;
  std::string has;
};

// "WHAT: plugin_sha256 wants 01ab, has 23cd; ...", with those of `fields` that differ; "" if none does.
std::string DifferentFields(absl::string_view what, const std::vector<StatedField>& fields);

// Reads the manifest beside the artifact and the one in it, of which one may be missing. If the artifact is a link, a
// manifest beside the link and one beside the file where it leads are both read. If there is a `signature`, there must
// be one beside the artifact, and only the manifest that was signed is parsed.
//   NotFound            there is none
//   InvalidArgument     not a manifest
//   DataLoss            they differ, or one is not what was signed
//   FailedPrecondition  the signature is not of the data file
absl::StatusOr<StatedManifest> ReadStatedManifest(const StoredArtifact& file,
                                                  const absl::optional<ArtifactSignature>& signature = absl::nullopt);

// Makes sure that the data file, if the artifact has one, is that of the manifest, for a reader who does not make it
// anew. A manifest in the artifact does not tell.
//   DataLoss  it is another
absl::Status CheckDataFile(const StoredArtifact& file, const StatedManifest& stated);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_MANIFEST_STATED_MANIFEST_H_
