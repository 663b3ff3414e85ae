// Writes a model of the catalog into a folder ready for its host.
#include <cstdlib>
#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status/status_macros.h"
#include "models/embedded_plugins.h"
#include "pipeline/package_model.h"
#include "tools/export_request.h"
#include "tools/export_summary.h"
#include "tools/tool_main.h"

namespace modelport {
namespace {

absl::Status Package() {
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(const ExportRequest request, ParseExportRequest(EmbeddedPlugins(), ""));
  ASSIGN_OR_RETURN(const Manifest manifest, PackageModel(request.registry, request.entry, request.options));
  // Printed after the export, since after a failure the first line on stderr is the error.
  std::cerr << request.choice;
  const std::string path = absl::StrCat(request.options.out, "/", manifest.model());
  std::cout << ExportSummary(manifest, absl::StrCat(path, ".pt"), absl::Now() - start);
  std::cout << "Next: open " << path << "_CatFileCreator.nk in NukeX; README.md beside it tells the steps.\n";
  return absl::OkStatus();
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  // Leaves out destructors, as export does.
  std::_Exit(modelport::RunTool(
      argc, argv, "Exports a model of the catalog into a folder for Nuke's Cattery: --target=nuke --out=FOLDER.",
      modelport::Package));
}
