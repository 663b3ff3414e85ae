#ifndef MODELPORT_ARTIFACT_VERIFY_STATED_PLAN_H_
#define MODELPORT_ARTIFACT_VERIFY_STATED_PLAN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "artifact/build/build_artifact.h"
#include "artifact/build/target_tree.h"
#include "artifact/format/stored_artifact.h"
#include "artifact/manifest/stated_manifest.h"
#include "artifact/request/artifact_request.h"
#include "common/module_tree/module_tree.h"
#include "registry/registry.h"
#include "registry/weight_parts.h"

namespace modelport {

// The parts of `entry`, whose tree is `tree`, that the files of the manifest `stated` fill.
//   InvalidArgument  as SplitWeights
absl::StatusOr<std::vector<WeightPart>> StatedParts(const CatalogEntry& entry, const ModuleTree& tree,
                                                    const Manifest& stated);

// Plans to make the artifact `file` anew. `request` is what its manifest `stated` says, and `tree` its tree. The
// weights come from `checkpoints`, in any order, if there are some, else from a seed if the manifest names one, else
// they are the file's own. A manifest within an artifact names no checkpoints; any that fit the model are taken then.
// Of another manifest a checkpoint may be another file than it names, such as one of another layout: CheckSourcesOf
// tells.
//   InvalidArgument     fewer checkpoints than the manifest names
//   FailedPrecondition  a checkpoint does not fit the model, or the file lacks tensors and no checkpoint is given
//   DataLoss            a malformed source in the manifest
absl::StatusOr<ArtifactPlan> PlanStated(const Registry& registry, const ArtifactRequest& request,
                                        const StatedManifest& stated, const std::vector<std::string>& checkpoints,
                                        const StoredArtifact& file, TargetTree tree);

// Makes sure that the checkpoints of `weights`, those of such a plan, are files that the manifest names.
//   FailedPrecondition  one is another; names it and both digests
absl::Status CheckSourcesOf(const StatedManifest& stated, const ArtifactWeights& weights);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_VERIFY_STATED_PLAN_H_
