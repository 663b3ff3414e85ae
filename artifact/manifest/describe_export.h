#ifndef MODELPORT_ARTIFACT_MANIFEST_DESCRIBE_EXPORT_H_
#define MODELPORT_ARTIFACT_MANIFEST_DESCRIBE_EXPORT_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "artifact/request/artifact_request.h"
#include "common/digest/background_digest.h"
#include "common/manifest/manifest.pb.h"
#include "common/torchscript/proof/proof_result.h"
#include "registry/weight_parts.h"

namespace modelport {

class Registry;            // registry/registry.h
struct ArtifactWeights;    // artifact/build/build_artifact.h
struct FormattedArtifact;  // artifact/build/build_artifact.h

// Adds what `weights` of `request`, whose sources are known, come from, how they became those of the module and, of a
// model that the catalog lacks or of a file that is not the published one, what told the arguments.
void DescribeSource(const ArtifactRequest& request, const ArtifactWeights& weights, Manifest& manifest);

// Copies this from `stated`, another manifest of the artifact, for a caller who lacks the checkpoint. Which file fills
// which of `parts` is not copied but made; there are as many in `stated`.
void CopySource(const Manifest& stated, const std::vector<WeightPart>& parts, Manifest& manifest);

// The part of `manifest` that the archive holds: without the fields of the functions below and, unless the weights are
// seeded, without what the manifest says of their source. So equal weights give equal archives, whatever the files and
// layouts are that they were read from.
Manifest ManifestWithin(Manifest manifest);

// Adds the facts of the whole file but those of its format.
void DescribeFile(const std::string& sha256, int64_t size, Manifest& manifest);

// Adds those of the data file beside it.
void DescribeData(const std::string& name, const std::string& sha256, int64_t size, Manifest& manifest);

// Adds what the round trip proved, or that none was made if `round_trip` is empty.
void DescribeProof(const absl::optional<RoundTrip>& round_trip, Manifest& manifest);

// Makes sure that the weights of an artifact are what they are taken for, and adds to its manifest what they are. All
// of their files are read and hashed.
class WeightsAudit {
 public:
  // Begins to hash the files, on other threads. `artifact` is of `request`; both outlive this.
  WeightsAudit(const ArtifactRequest& request, FormattedArtifact& artifact);

  // Reads all values, and sets the sources of the weights, also in the manifest. Called once.
  //   FailedPrecondition  values are not finite, unless `allow_nonfinite`, or a file is the published one of another
  //                       model of `registry`
  //   DataLoss            a file is damaged
  absl::Status Finish(const Registry& registry, bool allow_nonfinite);

 private:
  const ArtifactRequest& request_;
  FormattedArtifact& artifact_;
  std::deque<BackgroundDigest> digests_;  // Of each checkpoint. A deque does not move its elements.
};

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_MANIFEST_DESCRIBE_EXPORT_H_
