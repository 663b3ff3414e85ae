// Prints what a checkpoint holds and how it maps onto a model.
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/types/optional.h"
#include "common/checkpoint/checkpoint.h"
#include "common/keymap/plan.h"
#include "common/keymap/source_choice.h"
#include "common/module_tree/module_tree.h"
#include "common/status/status_macros.h"
#include "models/embedded_plugins.h"
#include "pipeline/map_weights.h"
#include "pipeline/nearest_variant.h"
#include "registry/registry.h"
#include "tools/load_registry.h"
#include "tools/print_checkpoint.h"
#include "tools/tool_main.h"

ABSL_FLAG(std::string, checkpoint, "", "the file to inspect");
ABSL_FLAG(std::string, model, "", "the variant that it should fit; without one, inspect names those that it fits");
ABSL_FLAG(std::string, layout, "auto",
          "how the checkpoint names its keys: auto or a layout of the plugin's keymap.yaml");
ABSL_FLAG(std::string, state_dict, "",
          "the dictionary that should fit, such as teacher or a.b, or . for the root; by default the one that fits");

namespace modelport {
namespace {

// Maps the checkpoint onto the model and prints how.
absl::Status PrintMapping(const Registry& registry, const CatalogEntry& entry, Checkpoint checkpoint,
                          const SourceChoice& choice) {
  ASSIGN_OR_RETURN(const ModuleTree tree, BuildModuleTree(entry.plugin->library, entry.variant->module));
  ASSIGN_OR_RETURN(const MappedWeights weights, MapCheckpoint(registry, entry, tree, std::move(checkpoint), choice));
  PrintPlan(weights.plan, tree, entry.variant->name, std::cout);
  return absl::OkStatus();
}

absl::Status Inspect() {
  if (absl::GetFlag(FLAGS_checkpoint).empty()) return absl::InvalidArgumentError("--checkpoint is missing");
  ASSIGN_OR_RETURN(const Registry registry, LoadRegistry(EmbeddedPlugins()));
  absl::optional<CatalogEntry> entry;
  if (!absl::GetFlag(FLAGS_model).empty()) {
    ASSIGN_OR_RETURN(entry, registry.Find(absl::GetFlag(FLAGS_model)));
  }
  ASSIGN_OR_RETURN(Checkpoint checkpoint, OpenCheckpoint(ResolveUserPath(absl::GetFlag(FLAGS_checkpoint))));
  PrintContents(checkpoint, std::cout);
  const SourceChoice choice = ParseSourceChoice(absl::GetFlag(FLAGS_layout), absl::GetFlag(FLAGS_state_dict));
  if (entry) return PrintMapping(registry, *entry, std::move(checkpoint), choice);
  std::vector<std::string> fitting = FittingVariants(registry, checkpoint, choice.state_dict);
  if (fitting.empty()) fitting = FittingParts(registry, checkpoint, choice.state_dict);
  PrintFit(fitting, fitting.empty() ? FindNearestVariant(registry, checkpoint, choice.state_dict) : absl::nullopt,
           std::cout);
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(
      argc, argv, "Prints what a checkpoint holds and how it maps onto a model; reads no weights.", modelport::Inspect);
}
