#ifndef MODELPORT_ARTIFACT_BUILD_TARGET_TREE_H_
#define MODELPORT_ARTIFACT_BUILD_TARGET_TREE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "artifact/request/artifact_request.h"
#include "common/module_tree/keep_outputs.h"
#include "common/module_tree/module_tree.h"

namespace modelport {

// The trees of a variant and of its artifact for a target.
struct TargetTree {
  std::shared_ptr<const ModuleTree> model;  // The variant's own, onto which checkpoints are mapped.
  KeptOutputs kept;                         // What the artifact has of it: all, or without some outputs.
  // The artifact's: `kept.tree` itself, or a wrapper around a copy of it. Its slots are those of `kept.tree`, in the
  // same order.
  std::shared_ptr<const ModuleTree> whole;
  // The wrapper and its arguments, "InferImage(mean=[0.5, 0.5, 0.5], ...)"; empty if there is none.
  std::string wrapper = {};
  std::string wrapper_name = {};  // Of a wrapper that is not the default, "classes"; else empty.

  bool is_wrapped() const { return !wrapper.empty(); }
};

// Builds the trees that `request` asks for: that of the variant, what it keeps of forward's outputs, and this in the
// wrapper that FindWrapper finds.
//   InvalidArgument  as FindWrapper and KeepOutputs, or the wrapper does not fit
absl::StatusOr<TargetTree> BuildTargetTree(const ArtifactRequest& request);

// The index of the knob of `knobs` that --knob=`name`=`value` sets.
//   InvalidArgument  there is none of this name, or it does not take the value
absl::StatusOr<int> FindKnob(const std::vector<Knob>& knobs, const std::string& name, double value);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_BUILD_TARGET_TREE_H_
