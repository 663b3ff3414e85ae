// The program of the rule model_artifact. It has no plugins of its own, so that a change of one plugin does not make it
// another program, with which every artifact would be made again. It prints errors only.
#include <cstdlib>

#include "artifact/export/export_model.h"
#include "common/status/status_macros.h"
#include "tools/command/command.h"
#include "tools/request/export_request.h"

namespace modelport {
namespace {

struct ExportActionFlags {
  FlagGroup group;
  ExportFlags exported{group};
};

absl::Status Export(const ExportActionFlags& flags) {
  ASSIGN_OR_RETURN(const ExportRequest request, ParseExportRequest(/*built_in=*/YamlTree(), flags.exported));
  return ExportModel(request.registry, request.options).status();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  // Leaves out destructors, as main.cc does.
  std::_Exit(modelport::RunTool(argc, argv,
                                {.name = "export_action",
                                 .summary = "Exports a model of the plugins in --plugin_path.",
                                 .begin = modelport::TakesFlags<modelport::ExportActionFlags>(modelport::Export)}));
}
