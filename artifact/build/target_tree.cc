#include "artifact/build/target_tree.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "registry/plugin.h"
#include "registry/wrappers.h"

namespace modelport {
namespace {

std::string OutputsFlag(const std::vector<std::string>& outputs) {
  return absl::StrCat("--outputs=", Brief(absl::StrJoin(outputs, ",")));
}

absl::StatusOr<ChosenWrapper> ChooseWrapper(const ArtifactRequest& request, const Variant& variant) {
  return FindWrapper(*request.entry.plugin, variant, *request.target, request.with_preprocess, request.wrapper);
}

absl::StatusOr<KeptOutputs> Keep(const std::shared_ptr<const ModuleTree>& model, const Variant& variant,
                                 const std::vector<std::string>& outputs) {
  absl::StatusOr<KeptOutputs> kept = KeepOutputs(model, variant.module, outputs);
  if (kept.ok()) return kept;
  return Annotate(Annotate(kept.status(), variant.name), OutputsFlag(outputs));
}

}  // namespace

absl::StatusOr<TargetTree> BuildTargetTree(const ArtifactRequest& request) {
  const Plugin& plugin = *request.entry.plugin;
  const Variant& variant = *request.entry.variant;
  RETURN_IF_ERROR(ChooseWrapper(request, variant).status());
  ASSIGN_OR_RETURN(ModuleTree built, BuildModuleTree(plugin.library, variant.module));
  const auto model = std::make_shared<const ModuleTree>(std::move(built));
  ASSIGN_OR_RETURN(KeptOutputs kept, Keep(model, variant, request.outputs));
  // A wrapper may be for variants with an output that is left out.
  Variant reduced = variant;
  reduced.module = kept.call;
  const absl::StatusOr<ChosenWrapper> chosen = ChooseWrapper(request, reduced);
  if (!chosen.ok()) return Annotate(chosen.status(), OutputsFlag(request.outputs));
  if (chosen->wrapper == nullptr) return TargetTree{model, kept, kept.tree};
  ASSIGN_OR_RETURN(ModuleTree whole, BuildWithin(*chosen->wrapper, plugin, reduced, *kept.tree));
  ASSIGN_OR_RETURN(std::string wrapper, DescribeWrapper(*chosen->wrapper, plugin, reduced, *kept.tree, whole));
  return TargetTree{model, std::move(kept), std::make_shared<const ModuleTree>(std::move(whole)), std::move(wrapper),
                    chosen->name};
}

}  // namespace modelport
