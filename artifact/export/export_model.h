// Exports one variant: open, map, validate, build, save, prove.
#ifndef MODELPORT_ARTIFACT_EXPORT_EXPORT_MODEL_H_
#define MODELPORT_ARTIFACT_EXPORT_EXPORT_MODEL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/manifest/manifest.pb.h"
#include "common/tensor/dtype.h"
#include "common/torchscript/runtime/runtime.h"
#include "registry/recognise/weight_source.h"
#include "registry/registry.h"
#include "targets/targets.h"

namespace modelport {

struct ExportOptions {
  WeightSource weights;                            // Seeded weights by default.
  DType dtype = DType::kFloat32;                   // Of the artifact's weights.
  const Target* target = *FindTarget("libtorch");  // The host that the artifact is for.
  const Runtime* runtime = nullptr;                // The runtime it is made for; null: the newest.
  bool with_preprocess = false;                    // Whether the artifact prepares images itself.
  std::string wrapper;                             // The plugin's wrapper for the target; empty: the default.
  std::vector<std::string> outputs;                // Those of the model's forward to keep; empty: all.
  std::string out;                                 // Path of the artifact.
  bool prove = true;                               // Whether to make the round trip.
  bool allow_nonfinite = false;                    // Whether weights and outputs may be NaN or infinite.
};

// Writes the artifact `options.out` and the manifest beside it. The artifact holds the manifest too, without the fields
// `artifact` and `round_trip`. After an error neither file appears and existing files are as they were; if they cannot
// be restored, the message says what is there (take_names.h).
//   InvalidArgument     the plugin's text does not compile, the model is not made for the target, has no preprocessing
//                       to be put in front, cannot do without an output (keep_outputs.h) or cannot be one for a
//                       single size (target_tree.h), or a file to write is an input or cannot be one
//                       (export_outputs.h)
//   FailedPrecondition  the checkpoint does not fit the model, is another model's published file, holds values that are
//                       not finite or changed while it was read, or the model computes such values or cannot run in
//                       the runtime
//   DataLoss            the checkpoint is damaged, or the round trip failed
//   Unavailable         a kernel of this machine does not agree with itself, so that nothing can be proven
//   ResourceExhausted   the disk is full
absl::StatusOr<Manifest> ExportModel(const Registry& registry, const CatalogEntry& entry, const ExportOptions& options);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_EXPORT_EXPORT_MODEL_H_
