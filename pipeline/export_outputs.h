#ifndef MODELPORT_PIPELINE_EXPORT_OUTPUTS_H_
#define MODELPORT_PIPELINE_EXPORT_OUTPUTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/io/output_file.h"

namespace modelport {

// The files that an export writes, in one folder. Commit them together.
struct ExportOutputs {
  OutputFile artifact;
  OutputFile manifest;
};

// Opens the artifact `out` and the manifest beside it. Where `out` is a link, both lie where it leads. Nothing is
// opened if one of them is one of `inputs`, the files that the export reads, by whatever path or link.
//   InvalidArgument  an input; a link in the place of the manifest; a manifest that another artifact has or would have
//   others           as OutputFile::Create
absl::StatusOr<ExportOutputs> OpenExportOutputs(const std::string& out, const std::vector<std::string>& inputs);

}  // namespace modelport

#endif  // MODELPORT_PIPELINE_EXPORT_OUTPUTS_H_
