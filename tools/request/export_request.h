// The flags of the tools that export models.
#ifndef MODELPORT_TOOLS_REQUEST_EXPORT_REQUEST_H_
#define MODELPORT_TOOLS_REQUEST_EXPORT_REQUEST_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "artifact/export/export_model.h"
#include "registry/registry.h"
#include "tools/command/flags.h"
#include "tools/request/given_files.h"
#include "tools/request/host_request.h"
#include "tools/request/load_registry.h"

namespace modelport {

// The export that the flags ask for.
struct ExportRequest {
  Registry registry;
  ExportOptions
      options;  // Of a model of `registry`; `out` is --out or else the artifact's name and ".pt", in the user's folder.
  std::string choice;  // Notes on the model and the weights for a user who did not choose them; may be empty.
};

// The flags --model, --checkpoint, --weights and so on, with those of the host and the registry.
struct ExportFlags {
  // Adds them to `group`.
  explicit ExportFlags(FlagGroup& group);

  // Those that choose a model or change what is made of it: they have no use beside an artifact that exists.
  FlagGroup ThatMakeArtifact();
  // Those of an artifact's file: they have no use in a tool that writes none.
  FlagGroup OfWrittenArtifact();

  Flag<std::string> weights;
  SourceFlags source;
  Flag<bool> resample, with_preprocess;
  Flag<std::string> wrapper, outputs, set, method, sizes;
  Flag<absl::optional<int64_t>> opset;
  Flag<bool> external_data;
  Flag<std::string> licence_file;
  Flag<std::string> family;
  Flag<bool> verify, allow_nonfinite;
  Flag<std::string> knob, model, checkpoint, name, out, dtype;
  HostFlags host;
  RegistryFlags registry;
};

// Reads these flags. The model is one of the plugins `built_in` or of --plugin_path; without --model the one that the
// checkpoint fits.
//   InvalidArgument  a flag that is missing, of a wrong value or at odds with another
//   NotFound         an unknown model, or no plugin in --plugin_path
//   others           as OpenCheckpoint and RecogniseModel, without --model
absl::StatusOr<ExportRequest> ParseExportRequest(const BuiltIn& built_in, const ExportFlags& flags);

// The parts of ParseExportRequest, for a tool that exports several models.

// All that the flags ask for but the model, its weights and `out`, for a host that ParseHostRequest read.
absl::StatusOr<ExportOptions> ParseExportOptions(const ExportFlags& flags, const HostRequest& host);

// What to do if the flags choose no weights and no published file of the model is found.
enum class IfNotFound { kSeed, kFail };

// Sets what the flags choose for the model of `request`: its weights, of the files `checkpoint` if that, which is
// written as --checkpoint is, names some. Returns a note on them for a user who did not choose them, or "".
//   InvalidArgument  flags at odds with each other or with the model
//   NotFound         the published file is asked for, or `if_not_found` is kFail, and it is not found
absl::StatusOr<std::string> ChooseForModel(const ExportFlags& flags, const std::string& checkpoint,
                                           IfNotFound if_not_found, ArtifactRequest& request);

// --out, or else `name`, in the user's folder.
std::string OutPath(const ExportFlags& flags, absl::string_view name);

// The error for a tool without --model.
absl::Status ModelMissing();

}  // namespace modelport

#endif  // MODELPORT_TOOLS_REQUEST_EXPORT_REQUEST_H_
