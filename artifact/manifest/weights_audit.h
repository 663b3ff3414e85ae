#ifndef MODELPORT_ARTIFACT_MANIFEST_WEIGHTS_AUDIT_H_
#define MODELPORT_ARTIFACT_MANIFEST_WEIGHTS_AUDIT_H_

#include <deque>

#include "absl/status/status.h"
#include "artifact/build/build_artifact.h"
#include "artifact/request/artifact_request.h"
#include "common/digest/background_digest.h"
#include "registry/registry.h"

namespace modelport {

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

#endif  // MODELPORT_ARTIFACT_MANIFEST_WEIGHTS_AUDIT_H_
