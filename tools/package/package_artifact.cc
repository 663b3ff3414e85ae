// Makes the folder for a host from an artifact that was exported. The rule model_package() runs it.
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "artifact/package/host_files.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/io/output_file.h"
#include "common/manifest/manifest.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/status_macros.h"
#include "tools/command/command.h"
#include "tools/command/flags.h"
#include "tools/command/user_path.h"

namespace modelport {
namespace {

struct PackageArtifactFlags {
  FlagGroup group;
  Flag<std::string> artifact{group, "artifact", "", "the artifact"};
  Flag<std::string> manifest{group, "manifest", "", "its manifest"};
  Flag<std::string> out{group, "out", "", "the folder to fill, which is empty"};
};

absl::Status PackageArtifact(const PackageArtifactFlags& flags) {
  const std::string artifact_path = ResolveUserPath(*flags.artifact), manifest_path = ResolveUserPath(*flags.manifest);
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> artifact, MappedFile::Open(artifact_path));
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> stated, MappedFile::Open(manifest_path));
  ASSIGN_OR_RETURN(const Manifest manifest, ParseManifest(stated->bytes(), manifest_path));
  if (Sha256Of(artifact->bytes()) != manifest.artifact().sha256()) {
    return absl::DataLossError(
        absl::StrCat(artifact_path, ": is not the artifact that ", manifest_path, " is about: export it again"));
  }
  if (!IsArtifactName(ArtifactName(manifest))) {
    return absl::DataLossError(
        absl::StrCat(manifest_path, ": its names make no name of a file: export the artifact again"));
  }
  const std::string folder = ResolveUserPath(*flags.out);
  const size_t stem = WithoutArtifactEnding(artifact_path).size();
  const std::string packaged = absl::StrCat(folder, "/", ArtifactName(manifest), artifact_path.substr(stem));
  // A manifest of no host's artifact is refused before anything is written.
  RETURN_IF_ERROR(WriteHostFiles(manifest, folder));
  RETURN_IF_ERROR(OutputFile::WriteWhole(packaged, artifact->bytes()));
  return OutputFile::WriteWhole(ManifestPath(packaged), stated->bytes());
}

}  // namespace
}  // namespace modelport

int main(int argc, char** argv) {
  return modelport::RunTool(
      argc, argv,
      {.name = "package_artifact",
       .summary = "Makes the folder for a host from an artifact and its manifest.",
       .begin = modelport::TakesFlags<modelport::PackageArtifactFlags>(modelport::PackageArtifact)});
}
