#ifndef MODELPORT_REGISTRY_FIND_WRAPPER_H_
#define MODELPORT_REGISTRY_FIND_WRAPPER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
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

// Makes sure that the condition of `wrapper`, one of `plugin`, is an argument of `variant`, which has its root.
//   InvalidArgument  it is not; names the arguments
absl::Status CheckCondition(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant);

}  // namespace modelport

#endif  // MODELPORT_REGISTRY_FIND_WRAPPER_H_
