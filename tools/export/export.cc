// Exports a model of the catalog.
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "artifact/export/export_model.h"
#include "artifact/signature/artifact_signature.h"
#include "common/manifest/manifest.h"
#include "common/status/status_macros.h"
#include "models/built_in_plugins.h"
#include "nlohmann/json.hpp"
#include "tools/command/commands.h"
#include "tools/command/report.h"
#include "tools/request/export_request.h"
#include "tools/request/export_summary.h"

namespace modelport {
namespace {

struct ExportToolFlags {
  FlagGroup group;
  ExportFlags exported{group};
  Report report{group};
};

// A line for stderr about a signature of what this export replaced; "" if there is none. A signature stays, since an
// export of the same inputs writes the same bytes, which it still signs.
std::string SignatureNote(const std::string& out, const Manifest& manifest) {
  if (!HasOldSignature(out, manifest)) return "";
  return absl::StrCat(SignaturePath(out), " signs the files that were here before: sign these, or remove it.\n");
}

// A line for stderr about the data file of what this export replaced, if this one has none: it may be large.
std::string DataNote(const std::string& out, const Manifest& manifest) {
  const absl::StatusOr<std::string> path = ArtifactRealPath(out);
  if (manifest.request().opset() == 0 || manifest.artifact().has_data() || !path.ok()) return "";
  std::error_code error;
  const std::string data = DataFilePath(*path);
  if (!std::filesystem::exists(data, error)) return "";
  return absl::StrCat(data, " has weights of the file that was here before: remove it.\n");
}

absl::Status Export(ExportToolFlags& flags) {
  const absl::Time start = absl::Now();
  ASSIGN_OR_RETURN(ExportRequest request, ParseExportRequest(BuiltInPlugins(), flags.exported));
  ASSIGN_OR_RETURN(const Manifest manifest, ExportModel(request.registry, request.options));
  // Printed after the export, since after a failure the first line on stderr is the error.
  std::cerr << request.choice << LicenceNote(manifest) << SignatureNote(request.options.out, manifest)
            << DataNote(request.options.out, manifest);
  const absl::Duration time = absl::Now() - start;
  if (flags.report.is_wanted()) {
    flags.report.fields().update(ExportReport(manifest, request.options.out, time));
  } else {
    std::cout << ExportSummary(manifest, request.options.out, time);
  }
  return absl::OkStatus();
}

}  // namespace

Command ExportCommand() {
  return {
      .name = "export",
      .summary = "Exports a model of the catalog to TorchScript or ONNX: checkpoint in, proven artifact out.",
      .begin = TakesFlags<ExportToolFlags>(Export),
  };
}

}  // namespace modelport
