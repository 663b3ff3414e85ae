#ifndef MODELPORT_REGISTRY_BUILD_WITHIN_H_
#define MODELPORT_REGISTRY_BUILD_WITHIN_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/module_tree/module_tree.h"
#include "registry/plugin.h"

namespace modelport {

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

#endif  // MODELPORT_REGISTRY_BUILD_WITHIN_H_
