#ifndef MODELPORT_PIPELINE_VERIFY_ARTIFACT_H_
#define MODELPORT_PIPELINE_VERIFY_ARTIFACT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/artifact/manifest.pb.h"
#include "registry/registry.h"

namespace modelport {

// What a verification found in order, and what it had no means to check.
struct Verification {
  Manifest manifest;
  std::vector<std::string> passed;
  std::vector<std::string> not_checked;
};

// Verifies the artifact file `artifact` against its manifest, and, where its weights are at hand (`checkpoint`, if not
// empty, or seeded weights), against a module that is built from them anew.
//   NotFound            no artifact, or no manifest beside it
//   DataLoss            the artifact is not what the manifest describes, or not what the weights give
//   FailedPrecondition  the checkpoint does not fit the model, or outputs are not finite and the manifest does not say so
//   Unavailable         a kernel of this machine does not agree with itself, so that outputs cannot be compared
absl::StatusOr<Verification> VerifyArtifact(const Registry& registry, const std::string& artifact,
                                            const std::string& checkpoint);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_VERIFY_ARTIFACT_H_
