#ifndef MODELPORT_ARTIFACT_EXPORT_EXPORT_OUTPUTS_H_
#define MODELPORT_ARTIFACT_EXPORT_EXPORT_OUTPUTS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "common/io/output_file.h"

namespace modelport {

// The files that an export writes, in one folder.
struct ExportOutputs {
  std::string path;  // Of the artifact: where it leads if the user's is a link.
  OutputFile artifact;
  OutputFile manifest;
  absl::optional<OutputFile> data = {};

  // Opens the data file beside the artifact.
  //   InvalidArgument  its name is a link
  //   others           as OutputFile::Create
  absl::Status OpenData();

  // Gives all of them their names.
  absl::Status Commit();
};

// Opens the artifact `out` and the manifest beside it. If `out` is a link, both are written where it leads.
//   InvalidArgument  the manifest's name is a link, or is that of another artifact's manifest; `out` has the name of a
//                    manifest, a signature or a data file
//   others           as OutputFile::Create
absl::StatusOr<ExportOutputs> OpenExportOutputs(const std::string& out);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_EXPORT_EXPORT_OUTPUTS_H_
