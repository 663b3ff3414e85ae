#include "registry/check_plugin.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "common/module_tree/module_tree.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/yaml/problems.h"
#include "registry/link_key_map.h"
#include "registry/weight_parts.h"
#include "registry/wrappers.h"

namespace modelport {
namespace {

// Makes sure that `tree`, that of `variant`, fits all that plugin.yaml says of the variant, and gives it to `check`.
absl::Status CheckVariant(const Plugin& plugin, const Variant& variant, const ModuleTree& tree, KeyMapCheck& check) {
  ASSIGN_OR_RETURN(std::vector<WeightPart> parts, SplitWeights(plugin, variant, tree));
  RETURN_IF_ERROR(ExamplesOf(plugin, variant).status());
  RETURN_IF_ERROR(PreprocessingOf(plugin, variant).status());
  if (absl::optional<WeightPart> whole = WholeTree(plugin, variant, tree)) parts.push_back(*std::move(whole));
  check.Add(variant, tree, parts);
  return absl::OkStatus();
}

// Makes sure that the wrappers that are for `variant` can be made around `tree`, that of the variant.
absl::Status CheckWrappers(const Plugin& plugin, const Variant& variant, const ModuleTree& tree) {
  for (const Wrapper& wrapper : plugin.wrappers) {
    ASSIGN_OR_RETURN(const bool is_for, IsFor(wrapper, plugin, variant));
    if (is_for) RETURN_IF_ERROR(BuildWithin(wrapper, plugin, variant, tree).status());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckPlugin(const Plugin& plugin) {
  std::vector<absl::Status> failures;
  KeyMapCheck check(plugin);
  for (const Variant& variant : plugin.variants) {
    const absl::StatusOr<ModuleTree> tree = BuildModuleTree(plugin.library, variant.module);
    const absl::Status fits = tree.ok() ? CheckVariant(plugin, variant, *tree, check) : tree.status();
    failures.push_back(Annotate(fits, absl::StrCat(MarkString(variant.mark), ": variant ", variant.name)));
    if (fits.ok()) failures.push_back(CheckWrappers(plugin, variant, *tree));
  }
  const absl::Status joined = JoinStatuses(plugin.path, failures);
  // A rule may be for a variant that cannot be built.
  return joined.ok() && !plugin.variants.empty() ? check.status() : joined;
}

}  // namespace modelport
