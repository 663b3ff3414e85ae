// The flags of the tools that export models.
#ifndef MODELPORT_TOOLS_EXPORT_REQUEST_H_
#define MODELPORT_TOOLS_EXPORT_REQUEST_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/text/embedded_file.h"
#include "pipeline/export_model.h"
#include "registry/registry.h"

namespace modelport {

// The export that the flags ask for.
struct ExportRequest {
  Registry registry;
  CatalogEntry entry;     // Of `registry`.
  ExportOptions options;  // `out` is --out or else the model's name and `extension`, in the user's folder.
  std::string choice;     // Notes on the model and the weights for a user who did not choose them; may be empty.
};

// Reads the flags --model, --checkpoint, --weights and so on, which this library defines. The model is one of the
// plugins `built_in` or of --plugin_path; without --model the one that the checkpoint fits.
//   InvalidArgument  a flag that is missing, of a wrong value or at odds with another
//   NotFound         an unknown model, or no plugin in --plugin_path
//   others           as OpenCheckpoint and RecogniseModel, without --model
absl::StatusOr<ExportRequest> ParseExportRequest(absl::Span<const EmbeddedFile> built_in, absl::string_view extension);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_EXPORT_REQUEST_H_
