// Prints what a checkpoint holds and how it maps onto a model.
#include <iostream>

#include "absl/flags/flag.h"
#include "absl/types/optional.h"
#include "common/keymap/plan.h"
#include "common/status/status_macros.h"
#include "pipeline/inspect_checkpoint.h"
#include "registry/registry.h"
#include "tools/load_registry.h"
#include "tools/tool_main.h"

ABSL_FLAG(std::string, checkpoint, "", "the file to look into");
ABSL_FLAG(std::string, model, "", "the variant that it should fit; without one, those that it fits are named");
ABSL_FLAG(std::string, layout, "auto",
          "how the checkpoint names its keys: auto or a layout of the plugin's keymap.yaml");
ABSL_FLAG(std::string, state_dict, "",
          "the dictionary that should fit, such as teacher or a.b, or . for the root; by default the one that does");

namespace modelport {
namespace {

absl::Status Inspect() {
  if (absl::GetFlag(FLAGS_checkpoint).empty()) return absl::InvalidArgumentError("--checkpoint is missing");
  ASSIGN_OR_RETURN(const Registry registry, LoadRegistry());
  absl::optional<CatalogEntry> entry;
  if (!absl::GetFlag(FLAGS_model).empty()) {
    ASSIGN_OR_RETURN(entry, registry.Find(absl::GetFlag(FLAGS_model)));
  }
  return InspectCheckpoint(registry, ResolveUserPath(absl::GetFlag(FLAGS_checkpoint)), entry,
                           ParseSourceChoice(absl::GetFlag(FLAGS_layout), absl::GetFlag(FLAGS_state_dict)), std::cout);
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(
      argc, argv, "Prints what a checkpoint holds and how it maps onto a model; reads no weights.", modelport::Inspect);
}
