// Makes the folder for a host from an artifact that was exported. The rule model_package() runs it.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "artifact/package/host_files.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/io/output_file.h"
#include "common/manifest/manifest.h"
#include "common/manifest/manifest_facts.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "targets/targets.h"
#include "tools/command/commands.h"
#include "tools/command/flags.h"
#include "tools/command/user_path.h"
#include "tools/package/node_picture.h"

namespace modelport {
namespace {

struct PackageArtifactFlags {
  FlagGroup group;
  Flag<std::string> artifact{group, "artifact", "", "the artifact"};
  Flag<std::string> manifest{group, "manifest", "", "its manifest"};
  Flag<std::string> data{group, "data", "", "its data file, if it has one"};
  Flag<std::string> picture{group, "picture", "", "the images of the package's picture, as of the command package"};
  Flag<std::string> out{group, "out", "", "the folder to fill, which is empty"};
};

// Makes sure that `sha256`, which the manifest states, is the digest of the file `path`.
absl::Status CheckIsStated(const std::string& path, const MappedFile& file, const std::string& sha256,
                           const std::string& manifest_path) {
  if (Sha256Of(file.bytes()) == sha256) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(path, ": is not the file that ", manifest_path, " is about: export it again"));
}

// An artifact names its data file, so that it keeps its own name, too.
absl::Status CheckKeepsName(const std::string& path, const std::string& packaged) {
  const std::string name = DataFileName(path), wanted = DataFileName(packaged);
  if (name == wanted) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": names its data file ", name, ", and in a package that would be ", wanted,
                   "\n  call the target of the artifact ", std::filesystem::path(packaged).stem().string(),
                   ", with weights that are not seeded, or make the package with the command package"));
}

absl::Status PackageArtifact(const PackageArtifactFlags& flags) {
  const std::string artifact_path = ResolveUserPath(*flags.artifact), manifest_path = ResolveUserPath(*flags.manifest);
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> artifact, MappedFile::Open(artifact_path));
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> stated, MappedFile::Open(manifest_path));
  ASSIGN_OR_RETURN(const Manifest manifest, ParseManifest(stated->bytes(), manifest_path));
  RETURN_IF_ERROR(CheckIsStated(artifact_path, *artifact, manifest.artifact().sha256(), manifest_path));
  if (!IsArtifactName(ArtifactName(manifest))) {
    return absl::DataLossError(
        absl::StrCat(manifest_path, ": its names make no name of a file: export the artifact again"));
  }
  const std::string folder = ResolveUserPath(*flags.out);
  const std::string ending = std::filesystem::path(artifact_path).extension().string();  // ".pt", ".onnx"
  const std::string packaged = absl::StrCat(folder, "/", ArtifactName(manifest), ending);
  std::shared_ptr<const MappedFile> data;
  if (manifest.artifact().has_data()) {
    RETURN_IF_ERROR(CheckKeepsName(artifact_path, packaged));
    const std::string data_path = ResolveUserPath(*flags.data);
    ASSIGN_OR_RETURN(data, MappedFile::Open(data_path));
    RETURN_IF_ERROR(CheckIsStated(data_path, *data, manifest.artifact().data().sha256(), manifest_path));
  }
  const std::vector<std::string> images = ResolveUserPaths(*flags.picture);
  const std::string picture = images.empty() ? "" : PicturePath(packaged);
  // A manifest of no host's artifact is refused before anything is written.
  RETURN_IF_ERROR(WriteHostFiles(manifest, folder, std::filesystem::path(picture).filename()));
  if (data != nullptr) RETURN_IF_ERROR(OutputFile::WriteWhole(DataFilePath(packaged), data->bytes()));
  RETURN_IF_ERROR(OutputFile::WriteWhole(packaged, artifact->bytes()));
  RETURN_IF_ERROR(OutputFile::WriteWhole(ManifestPath(packaged), stated->bytes()));
  if (images.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Target* const target, FindTarget(manifest.request().target()));
  return Annotate(DrawNode(packaged, images, picture, target->icons), "picture");
}

}  // namespace

Command PackageArtifactCommand() {
  return {
      .name = "package_artifact",
      .summary = "Makes the folder for a host from an artifact and its manifest.",
      .begin = TakesFlags<PackageArtifactFlags>(PackageArtifact),
  };
}

}  // namespace modelport
