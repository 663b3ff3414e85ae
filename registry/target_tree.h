#ifndef MODELPORT_REGISTRY_TARGET_TREE_H_
#define MODELPORT_REGISTRY_TARGET_TREE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/module_tree/keep_outputs.h"
#include "common/module_tree/module_tree.h"
#include "registry/plugin.h"
#include "targets/target/target.h"

namespace modelport {

// The trees of a variant and of its artifact for a target.
struct TargetTree {
  std::shared_ptr<const ModuleTree> model;  // The variant's own, onto which checkpoints are mapped.
  KeptOutputs kept;                         // What the artifact has of it: all, or without some outputs.
  // The artifact's: `kept.tree` itself, or a wrapper around a copy of it. Its slots are those of `kept.tree`, in the
  // same order.
  std::shared_ptr<const ModuleTree> whole;
  // The wrapper and its arguments, "NukeDepth(mean=[0.5, 0.5, 0.5], ...)"; empty if there is none.
  std::string wrapper = {};
  std::string wrapper_name = {};  // Of a wrapper that is not the default, "classes"; else empty.

  bool is_wrapped() const { return !wrapper.empty(); }
};

// Builds the tree of `variant`, one of `plugin`, keeps those of forward's outputs that `outputs` names, or all if it is
// empty, and wraps what is kept as FindWrapper says; `wrapper` is the name of a wrapper for `target`.
//   InvalidArgument  as FindWrapper and KeepOutputs, or the wrapper does not fit
absl::StatusOr<TargetTree> BuildTargetTree(const Plugin& plugin, const Variant& variant, const Target& target,
                                           bool with_preprocess = false, absl::string_view wrapper = "",
                                           const std::vector<std::string>& outputs = {});

// Wraps `model`, the tree of `variant`, in `wrapper`, all of `plugin`. The wrapper's call may use the arguments of the
// variant's root and what the preprocessing states: channels, mean, std, multiple_of and size, the last an empty list
// if it is not fixed; and larger_is_nearer where an output of the root's forward states it. Without normalisation each
// mean is 0 and each std is 1. The result has an interface, with channels that the wrapper's target knows.
//   InvalidArgument  the wrapper does not fit the variant, has no interface or names an unknown channel
absl::StatusOr<ModuleTree> BuildWithin(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant,
                                       const ModuleTree& model);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_TARGET_TREE_H_
