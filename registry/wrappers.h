#ifndef MODELPORT_REGISTRY_WRAPPERS_H_
#define MODELPORT_REGISTRY_WRAPPERS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/module_tree/module_tree.h"
#include "registry/plugin.h"
#include "targets/target/target.h"

namespace modelport {

// The wrappers that `plugin` names for `variant`, in file order: for the target of this name or, if `target` is empty,
// for images. The first is the default.
std::vector<const Wrapper*> WrappersOf(const Plugin& plugin, const Variant& variant, absl::string_view target);

// The module around the root in an artifact.
struct ChosenWrapper {
  const Wrapper* wrapper = nullptr;  // Null: there is none.
  std::string name = {};             // Of one that is not the default, "classes"; else empty.
};

// The wrapper of `variant`, one of `plugin`, for `target` if that wraps, or for images if `with_preprocess`. `name`
// chooses one of several for the target; empty: the default.
//   InvalidArgument  the plugin has no wrapper, or none of this name, which the message lists; `with_preprocess` for a
//                    target that wraps, or a name for one that does not
absl::StatusOr<ChosenWrapper> FindWrapper(const Plugin& plugin, const Variant& variant, const Target& target,
                                          bool with_preprocess, absl::string_view name);

// Whether `wrapper`, one of `plugin`, is for `variant`: that has its root, and fulfils its condition.
//   InvalidArgument  the condition has no value for it
absl::StatusOr<bool> IsFor(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant);

// Wraps `model`, the tree of `variant`, in `wrapper`, all of `plugin`. The wrapper's call may use the arguments of the
// variant's root and what the preprocessing states: channels, mean, std, multiple_of and size, the last an empty list
// if it is not fixed; and larger_is_nearer where an output of the root's forward states it. Without normalisation each
// mean is 0 and each std is 1. The result has an interface, with channels that the wrapper's target knows.
//   InvalidArgument  the wrapper does not fit the variant, has no interface or names an unknown channel
absl::StatusOr<ModuleTree> BuildWithin(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant,
                                       const ModuleTree& model);

// The wrapper's type and the values of its arguments: "InferImage(mean=[0.5, 0.5, 0.5], ...)". `whole` is what
// BuildWithin made of `model`.
//   InvalidArgument  an argument fails
absl::StatusOr<std::string> DescribeWrapper(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant,
                                            const ModuleTree& model, const ModuleTree& whole);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_WRAPPERS_H_
