#include "artifact/package/host_files.h"

#include <filesystem>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/io/output_file.h"
#include "common/io/output_folder.h"
#include "common/status/status_macros.h"
#include "targets/targets.h"

namespace modelport {

namespace {

absl::Status WriteFiles(const std::vector<PackageFile>& files, const std::string& folder) {
  for (const PackageFile& file : files) {
    RETURN_IF_ERROR(OutputFile::WriteWhole(absl::StrCat(folder, "/", file.name), file.text));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteHostFiles(const Manifest& manifest, const std::string& folder, const std::string& picture) {
  ASSIGN_OR_RETURN(const Target* const target, FindTarget(manifest.request().target()));
  RETURN_IF_ERROR(CheckHasPackages(*target));
  RETURN_IF_ERROR(CheckArtifact(*target, manifest));
  ASSIGN_OR_RETURN(std::vector<PackageFile> files, target->package(manifest, picture));
  if (!manifest.request().licence_text().empty()) files.push_back({kLicenceFile, manifest.request().licence_text()});
  return WriteFiles(files, folder);
}

std::string PicturePath(const std::string& artifact) {
  return absl::StrCat(std::filesystem::path(artifact).replace_extension().string(), "_picture.png");
}

absl::Status WriteChoice(const Target& target, const std::vector<Manifest>& manifests, const std::string& name,
                         const std::string& path) {
  for (const Manifest& manifest : manifests) RETURN_IF_ERROR(CheckArtifact(target, manifest));
  ASSIGN_OR_RETURN(const std::vector<PackageFile> files, target.choice(manifests, name));
  ASSIGN_OR_RETURN(OutputFolder folder, OutputFolder::Create(path));
  if (const absl::Status written = WriteFiles(files, folder.partial_path()); !written.ok()) {
    // The user knows the folder by its final name.
    return absl::Status(written.code(), absl::StrReplaceAll(written.message(), {{folder.partial_path(), path}}));
  }
  return folder.Commit();
}

}  // namespace modelport
