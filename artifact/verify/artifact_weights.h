#ifndef MODELPORT_ARTIFACT_VERIFY_ARTIFACT_WEIGHTS_H_
#define MODELPORT_ARTIFACT_VERIFY_ARTIFACT_WEIGHTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "artifact/build/bind_parts.h"
#include "artifact/build/target_tree.h"
#include "artifact/manifest/stated_manifest.h"
#include "artifact/request/artifact_request.h"
#include "common/module_tree/module_tree.h"
#include "common/torchscript/archive/artifact_file.h"
#include "registry/registry.h"
#include "registry/weight_parts.h"

namespace modelport {

// The parts of `entry`, whose tree is `tree`, that the files of the manifest `stated` fill.
//   InvalidArgument  as SplitWeights
absl::StatusOr<std::vector<WeightPart>> StatedParts(const CatalogEntry& entry, const ModuleTree& tree,
                                                    const Manifest& stated);

// Gets the weights of the artifact `file` that `request` asks for, for what `tree` keeps of the model. The manifest is
// `stated`. They come from `checkpoints`, in any order, if there are some, else from seeded weights if the manifest
// names these, else from the artifact, whose tensors are borrowed. A manifest within an artifact names no checkpoints;
// any that fit the model are taken then.
//   InvalidArgument     more or fewer checkpoints than the manifest names
//   FailedPrecondition  a checkpoint is none of the manifest's, or does not fit the model
//   DataLoss            a malformed source in the manifest; a tensor that is missing or of another size
absl::StatusOr<ArtifactWeights> GetArtifactWeights(const Registry& registry, const ArtifactRequest& request,
                                                   const TargetTree& tree, const StatedManifest& stated,
                                                   const std::vector<std::string>& checkpoints,
                                                   const ArtifactFile& file);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_VERIFY_ARTIFACT_WEIGHTS_H_
