#include "tools/parity/check/build_model.h"

#include "artifact/build/bind_parts.h"
#include "artifact/build/keep_slots.h"
#include "artifact/build/target_module.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

absl::StatusOr<BuiltModel> Build(const Registry& registry, const CatalogEntry& entry, const ExportOptions& options) {
  BuiltModel model;
  ASSIGN_OR_RETURN(model.tree, BuildTargetTree(*entry.plugin, *entry.variant, *options.target, options.with_preprocess,
                                               options.wrapper, options.outputs, options.static_shape));
  ASSIGN_OR_RETURN(model.weights, MapWeights(registry, entry, *model.tree.model, options.weights));
  KeepSlots(model.tree.kept, model.weights);
  ASSIGN_OR_RETURN(model.bound, BindParts(model.weights, options.dtype));
  ASSIGN_OR_RETURN(model.module,
                   BuildTargetModule(model.tree, AllTensors(model.bound), *options.target, options.runtime));
  model.examples = TargetExamples(entry, model.tree);
  return model;
}

}  // namespace

absl::StatusOr<BuiltModel> BuildModel(const Registry& registry, const CatalogEntry& entry,
                                      const ExportOptions& options) {
  absl::StatusOr<BuiltModel> model = Build(registry, entry, options);
  if (model.ok()) return model;
  return absl::Status(model.status().code(), entry.plugin->library->WithPaths(model.status().message()));
}

}  // namespace modelport
