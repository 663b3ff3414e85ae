#ifndef MODELPORT_TOOLS_PREDICT_RUN_LOAD_ARTIFACT_H_
#define MODELPORT_TOOLS_PREDICT_RUN_LOAD_ARTIFACT_H_

#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/status/statusor.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

// An artifact that takes images as they are.
struct LoadedArtifact {
  std::string path;
  torch::jit::Module module;
  Manifest manifest = {};
  std::string manifest_sha256 = {};  // Of the manifest's bytes.
};

// Loads an artifact that was exported with its preprocessing inside. Loading and calling it runs its code in this
// process. That code has no operator that reaches files or other processes (LoadForeignScript), but a file of an
// unknown origin may still use up memory and time, or a bug in LibTorch. `public_key`, if it is not "", is a file: then
// nothing of the artifact is read before it is known that the owner of this key signed it. Messages begin with the
// path.
//   InvalidArgument     not TorchScript
//   FailedPrecondition  without preprocessing inside, of another release, or its code reaches outside
//   NotFound            no such file, or no manifest: Modelport did not write it
//   DataLoss            damaged
//   others              with a key: as CheckSignature
absl::StatusOr<LoadedArtifact> LoadArtifact(const std::string& path, const std::string& public_key);

// Loads an artifact that KeepArtifact keeps, which this user exported.
//   PermissionDenied    another user owns the file, or may write to it
//   others              as LoadArtifact
absl::StatusOr<LoadedArtifact> LoadKeptArtifact(const std::string& path);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_RUN_LOAD_ARTIFACT_H_
