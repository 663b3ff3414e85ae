#ifndef MODELPORT_ARTIFACT_EXPORT_EXPORT_OUTPUTS_H_
#define MODELPORT_ARTIFACT_EXPORT_EXPORT_OUTPUTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/io/output_file.h"

namespace modelport {

// The files that an export writes, in one folder. Commit them together.
struct ExportOutputs {
  OutputFile artifact;
  OutputFile manifest;
};

// Opens the artifact `out` and the manifest beside it. If `out` is a link, both are written where it leads.
//   InvalidArgument  the manifest's name is a link, or is that of another artifact's manifest; `out` has the name of a
//                    manifest or a signature
//   others           as OutputFile::Create
absl::StatusOr<ExportOutputs> OpenExportOutputs(const std::string& out);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_EXPORT_EXPORT_OUTPUTS_H_
