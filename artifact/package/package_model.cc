#include "artifact/package/package_model.h"

#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "artifact/build/formats.h"
#include "artifact/package/host_files.h"
#include "artifact/request/artifact_request.h"
#include "common/io/output_folder.h"
#include "common/status/status_macros.h"
#include "targets/targets.h"

namespace modelport {
namespace {

absl::Status CheckOptions(const ExportOptions& options) {
  RETURN_IF_ERROR(CheckHasPackages(*options.request.target));
  if (!options.prove) return absl::InvalidArgumentError("--noverify: a package wants a proven artifact");
  return absl::OkStatus();
}

absl::StatusOr<Manifest> WritePackage(const Registry& registry, const std::string& name, const std::string& folder,
                                      ExportOptions options, const DrawPicture& draw) {
  options.out = absl::StrCat(folder, "/", name, FormatOf(*options.request.target).ending());
  ASSIGN_OR_RETURN(Manifest manifest, ExportModel(registry, options));
  if (draw == nullptr) {
    RETURN_IF_ERROR(WriteHostFiles(manifest, folder));
    return manifest;
  }
  const std::string picture = PicturePath(options.out);
  RETURN_IF_ERROR(WriteHostFiles(manifest, folder, std::filesystem::path(picture).filename()));
  RETURN_IF_ERROR(draw(options.out, picture));
  return manifest;
}

}  // namespace

absl::StatusOr<Manifest> PackageModel(const Registry& registry, const ExportOptions& options, const DrawPicture& draw) {
  RETURN_IF_ERROR(CheckOptions(options));
  ASSIGN_OR_RETURN(const std::string name, NameOfArtifact(options.request));
  ASSIGN_OR_RETURN(OutputFolder folder, OutputFolder::Create(options.out));
  absl::StatusOr<Manifest> manifest = WritePackage(registry, name, folder.partial_path(), options, draw);
  if (!manifest.ok()) {
    // The user knows the folder by its final name.
    return absl::Status(manifest.status().code(),
                        absl::StrReplaceAll(manifest.status().message(), {{folder.partial_path(), options.out}}));
  }
  RETURN_IF_ERROR(folder.Commit());
  return manifest;
}

}  // namespace modelport
