#ifndef MODELPORT_TOOLS_PREDICT_RUN_LOAD_ARTIFACT_H_
#define MODELPORT_TOOLS_PREDICT_RUN_LOAD_ARTIFACT_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "artifact/format/onnx/openvino.h"
#include "artifact/request/artifact_request.h"
#include "common/manifest/manifest.pb.h"
#include "common/torchscript/script/module_fwd.h"
#include "registry/registry.h"

namespace modelport {

// An artifact that takes images as they are.
struct LoadedArtifact {
  std::string path;                               // Of the file; of a model that is built in memory, its name.
  std::shared_ptr<torch::jit::Module> module;     // With all that it borrows; null if `onnx` has its code.
  absl::optional<onnx::OpenVinoModel> onnx = {};  // Of an ONNX file.
  Manifest manifest = {};
  absl::optional<std::string> manifest_sha256 =
      {};  // Of the manifest's bytes; none of a model that is built in memory.

  // Whether it is a node for a host: one picture in, of red, green, blue and the trimap of mattes, and one picture out.
  bool is_node() const { return manifest.interface().channels_in_size() > 0; }
};

// Gives knobs of a node other values. With one that is not its default, the manifest no longer states a unit.
//   InvalidArgument  no such knob, a value beyond its range, or constants of an ONNX file
absl::Status TurnKnobs(const std::map<std::string, double>& values, LoadedArtifact& artifact);

// Loads an artifact that was exported with its preprocessing inside, or for a host. Loading and calling it runs its
// code in this process. That code has no operator that reaches files or other processes (LoadForeignScript), but a file
// of an unknown origin may still use up memory and time, or a bug in LibTorch. `public_key`, if it is not "", is a
// file: then nothing of the artifact is read before it is known that the owner of this key signed it. Messages begin
// with the path.
//   InvalidArgument     neither TorchScript nor ONNX
//   FailedPrecondition  without preprocessing inside, of another release, or its code reaches outside; or OpenVINO,
//                       which runs ONNX files, is not at hand
//   NotFound            no such file, or no manifest: Modelport did not write it; or its data file is missing
//   DataLoss            damaged, or its data file is another's
//   others              with a key: as CheckSignature
absl::StatusOr<LoadedArtifact> LoadArtifact(const std::string& path, const std::string& public_key);

// Builds, in memory, the artifact that `request` asks for, which takes images. Its weights are checked as those of an
// export: values that are not finite are refused, unless `allow_nonfinite`.
//   errors  as PlanArtifact, BuildArtifact, FormatArtifact, CheckCanRun and WeightsAudit::Finish
absl::StatusOr<LoadedArtifact> BuildModel(const Registry& registry, const ArtifactRequest& request,
                                          bool allow_nonfinite);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_PREDICT_RUN_LOAD_ARTIFACT_H_
