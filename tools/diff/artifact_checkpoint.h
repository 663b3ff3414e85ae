#ifndef MODELPORT_TOOLS_DIFF_ARTIFACT_CHECKPOINT_H_
#define MODELPORT_TOOLS_DIFF_ARTIFACT_CHECKPOINT_H_

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/manifest/manifest.pb.h"
#include "common/torchscript/archive/artifact_file.h"
#include "registry/target_tree.h"

namespace modelport {

// The manifest in an artifact of any release, or the one beside it; nullopt if there is none that names a model.
absl::optional<Manifest> FindManifest(const ArtifactFile& file);

// The tensors of an artifact as a checkpoint, under the names of the slots of its model, of which `tree` is made.
// Tables of an artifact for one size are left out. Nothing is read of the archive but the sizes of its records: an
// archive of Modelport numbers its tensors in the order of TensorNames, and `manifest` states the dtype.
//   DataLoss  a record is missing, is compressed or has another size, or there are more than slots and tables
absl::StatusOr<Checkpoint> OpenArtifactTensors(const ArtifactFile& file, const Manifest& manifest,
                                               const TargetTree& tree);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_DIFF_ARTIFACT_CHECKPOINT_H_
