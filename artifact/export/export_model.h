// Exports one variant: open, map, validate, build, save, prove.
#ifndef MODELPORT_ARTIFACT_EXPORT_EXPORT_MODEL_H_
#define MODELPORT_ARTIFACT_EXPORT_EXPORT_MODEL_H_

#include <string>

#include "absl/status/statusor.h"
#include "artifact/request/artifact_request.h"
#include "common/manifest/manifest.pb.h"
#include "registry/registry.h"

namespace modelport {

// An export.
struct ExportOptions {
  ArtifactRequest request;       // Which artifact.
  std::string out;               // Its path.
  bool prove = true;             // Whether to make the round trip.
  bool allow_nonfinite = false;  // Whether weights and outputs may be NaN or infinite.
};

// Writes the artifact `options.out` and beside it the manifest and, if the format has one, the data file. The artifact
// holds the manifest too, without the fields `artifact` and `round_trip`. After an error none of the files appears and
// existing ones are as they were; if they cannot be restored, the message says what is there (partial_name.h).
//   InvalidArgument     the plugin's text does not compile, the model is not made for the target, has no preprocessing
//                       to be put in front, or cannot do without an output (keep_outputs.h); or a file to write is an
//                       input or cannot be one (export_outputs.h)
//   FailedPrecondition  the checkpoint does not fit the model, is another model's published file, holds values that are
//                       not finite or changed while it was read, or the model computes such values or cannot run in
//                       the runtime
//   DataLoss            the checkpoint is damaged, or the round trip failed
//   Unavailable         a kernel of this machine does not agree with itself, so that nothing can be proven
//   ResourceExhausted   the disk is full
absl::StatusOr<Manifest> ExportModel(const Registry& registry, const ExportOptions& options);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_EXPORT_EXPORT_MODEL_H_
