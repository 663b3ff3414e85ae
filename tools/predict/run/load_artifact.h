#ifndef MODELPORT_TOOLS_PREDICT_RUN_LOAD_ARTIFACT_H_
#define MODELPORT_TOOLS_PREDICT_RUN_LOAD_ARTIFACT_H_

#include <sys/stat.h>
#include <torch/csrc/jit/api/module.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "artifact/export/export_model.h"
#include "common/manifest/manifest.pb.h"
#include "registry/registry.h"

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

// The folder of kept artifacts: $XDG_CACHE_HOME/modelport, else ~/.cache/modelport. NotFound if neither variable is
// set.
absl::StatusOr<std::string> CacheFolder();

struct KeptArtifact {
  std::string path;
  bool exported_now = false;
};

// The artifact that `options` ask for, in `folder`, which is made if it does not exist. It is exported only if no
// artifact of equal inputs is there: release, model, plugin's texts, all other `options`, and either the seed or path,
// size and time of change of each file of weights. Its name tells them apart, so nothing is ever replaced by something
// else, and several processes may do this at the same time. `options.out` is not used.
//   PermissionDenied  `folder` exists and belongs to another user, or others may write there
//   others            as ExportModel
absl::StatusOr<KeptArtifact> KeepArtifact(const Registry& registry, ExportOptions options, const std::string& folder);

// Kept artifacts are code that is run, so nobody else may have written there. What others could write to before is not
// to be trusted after a chmod either. `info` is of the file or folder `path`, best of the open one.
//   PermissionDenied  another user owns it, or may write to it
absl::Status CheckKeptAlone(const std::string& path, const struct stat& info);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_RUN_LOAD_ARTIFACT_H_
