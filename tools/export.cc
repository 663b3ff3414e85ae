// Exports a model of the catalog to TorchScript.
#include <cstdlib>
#include <iostream>

#include "absl/time/clock.h"
#include "common/status/status_macros.h"
#include "models/embedded_plugins.h"
#include "pipeline/export_model.h"
#include "tools/export_request.h"
#include "tools/export_summary.h"
#include "tools/tool_main.h"

namespace modelport {
namespace {

absl::Status Export() {
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(const ExportRequest request, ParseExportRequest(EmbeddedPlugins()));
  ASSIGN_OR_RETURN(const Manifest manifest, ExportModel(request.registry, request.entry, request.options));
  // Printed after the export, since after a failure the first line on stderr is the error.
  std::cerr << request.choice << LicenceNote(manifest);
  std::cout << ExportSummary(manifest, request.options.out, absl::Now() - start);
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  // All files are complete here. _Exit leaves out the destructors of the model and of LibTorch, which take a tenth of a
  // second.
  std::_Exit(modelport::RunTool(argc, argv,
                                "Exports a model of the catalog to TorchScript: checkpoint in, proven artifact out.",
                                modelport::Export));
}
