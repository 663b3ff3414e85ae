// Exports a model of the catalog to TorchScript.
#include <cstdlib>
#include <iostream>

#include "absl/time/clock.h"
#include "common/status/status_macros.h"
#include "models/embedded_plugins.h"
#include "pipeline/export_model.h"
#include "tools/commands.h"
#include "tools/export_request.h"
#include "tools/export_summary.h"

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

Command ExportCommand() {
  return {
      .name = "export",
      .summary = "Exports a model of the catalog to TorchScript: checkpoint in, proven artifact out.",
      .flags = ExportFlags(),
      .run = TakesFlags(Export),
  };
}

}  // namespace modelport
