#include "registry/target_tree.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/module_tree/wrapped_tree.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/nearest.h"
#include "targets/targets.h"

namespace modelport {
namespace {

// Makes sure that `names` are channels of `target`, each once.
absl::Status CheckChannels(const std::vector<std::string>& names, const Target& target) {
  for (const std::string& name : names) {
    if (std::count(target.channels.begin(), target.channels.end(), name) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat(target.name, " has no channel \"", name, "\"", NearestHint(name, target.channels)));
    }
    if (std::count(names.begin(), names.end(), name) > 1) {
      return absl::InvalidArgumentError(absl::StrCat("channel \"", name, "\" is listed twice"));
    }
  }
  return absl::OkStatus();
}

// Makes sure that the root of `tree` tells `target` what it has to know.
absl::Status CheckInterface(const ModuleTree& tree, const Target& target) {
  const ModuleType& wrapper = *tree.root.type;
  if (!tree.interface.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(MarkString(wrapper.mark), ": a wrapper for ", target.name,
                                                   " wants a field interface, ", wrapper.name(), " has none"));
  }
  for (const auto* names : {&tree.interface->inputs, &tree.interface->outputs}) {
    RETURN_IF_ERROR(Annotate(CheckChannels(*names, target), MarkString(wrapper.interface->mark)));
  }
  return absl::OkStatus();
}

absl::StatusOr<ModuleTree> WrapAndCheck(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant,
                                        const ModuleTree& model) {
  const Preprocessing& preprocessing = plugin.preprocessing;
  const Scope scope = {
      {"mean", preprocessing.mean}, {"std", preprocessing.std}, {"multiple_of", preprocessing.multiple_of}};
  ASSIGN_OR_RETURN(const Target* target, FindTarget(wrapper.target));
  ASSIGN_OR_RETURN(ModuleTree tree, WrapTree(model, wrapper.call, scope, variant.module));
  RETURN_IF_ERROR(CheckInterface(tree, *target));
  return tree;
}

absl::StatusOr<const Wrapper*> FindWrapper(const Plugin& plugin, const Variant& variant, const Target& target) {
  const auto fits = [&](const Wrapper& wrapper) {
    return wrapper.target == target.name && wrapper.root == variant.module.type;
  };
  const auto found = std::find_if(plugin.wrappers.begin(), plugin.wrappers.end(), fits);
  if (found != plugin.wrappers.end()) return &*found;
  return absl::InvalidArgumentError(
      absl::StrCat("--target=", target.name, ": ", variant.name, " does not support this target: ", plugin.path,
                   "/plugin.yaml names no wrapper for ", variant.module.type, " under targets: ", target.name));
}

}  // namespace

absl::StatusOr<TargetTree> BuildTargetTree(const Plugin& plugin, const Variant& variant, const Target& target) {
  ASSIGN_OR_RETURN(ModuleTree built, BuildModuleTree(plugin.library, variant.module));
  const auto model = std::make_shared<const ModuleTree>(std::move(built));
  if (!target.wraps) return TargetTree{model, model};
  ASSIGN_OR_RETURN(const Wrapper* wrapper, FindWrapper(plugin, variant, target));
  ASSIGN_OR_RETURN(ModuleTree wrapped, BuildWithin(*wrapper, plugin, variant, *model));
  return TargetTree{model, std::make_shared<const ModuleTree>(std::move(wrapped))};
}

absl::StatusOr<ModuleTree> BuildWithin(const Wrapper& wrapper, const Plugin& plugin, const Variant& variant,
                                       const ModuleTree& model) {
  absl::StatusOr<ModuleTree> tree = WrapAndCheck(wrapper, plugin, variant, model);
  if (tree.ok()) return tree;
  return Annotate(tree.status(), absl::StrCat(MarkString(wrapper.mark), ": wrapper of ", variant.name));
}

}  // namespace modelport
