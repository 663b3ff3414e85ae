#include "artifact/manifest/stated_manifest.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "artifact/manifest/describe_export.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/manifest/manifest.h"
#include "common/manifest/manifest_facts.h"
#include "common/manifest/version.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"
#include "common/text/printable.h"
#include "common/torchscript/runtime/operators.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

// Another release writes other bytes, so that this one cannot tell whether they are right. "" for this release.
std::string OtherRelease(const Manifest& manifest) {
  return DifferentFields(
      "another release made the artifact",
      {{"modelport_version", kModelportVersion, manifest.modelport_version()},
       {"libtorch_version", std::string(LibTorchVersion()), manifest.libtorch_version()},
       {"manifest_version", absl::StrCat(kManifestVersion), absl::StrCat(std::max(manifest.manifest_version(), 1u))}});
}

// Fields that a later release added are none of this one's.
absl::StatusOr<Manifest> Parse(absl::string_view json, const std::string& path) {
  Manifest known = ParseKnownFields(json);
  const bool is_other = !known.modelport_version().empty() && !OtherRelease(known).empty();
  return is_other ? std::move(known) : ParseManifest(json, path);
}

StatedManifest Stated(Manifest manifest, const std::string& path, bool is_whole) {
  std::string other_release = OtherRelease(manifest);
  return {std::move(manifest), path, is_whole, std::move(other_release)};
}

absl::StatusOr<StatedManifest> ReadBeside(const std::string& path, const absl::optional<ArtifactSignature>& signature) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::string_view json = file->bytes();
  std::string copy;
  if (signature) {
    // What is parsed is what was signed, whatever another process writes to the file.
    copy = std::string(json);
    json = copy;
    RETURN_IF_ERROR(CheckManifestSigned(json, path, *signature));
  }
  ASSIGN_OR_RETURN(Manifest manifest, Parse(json, path));
  return Stated(std::move(manifest), path, /*is_whole=*/true);
}

// Where manifests of the artifact at `path` may lie.
std::set<std::string> PlacesBeside(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  std::set<std::string> places = {ManifestPath(path)};
  if (fs::is_symlink(path, error)) places.insert(ManifestPath(target.string()));
  return places;
}

absl::StatusOr<StatedManifest> ReadWithin(const StoredArtifact& file, const StoredPart& within) {
  const std::string path = absl::StrCat(file.path(), ": ", within.name);
  ASSIGN_OR_RETURN(Manifest manifest, Parse(within.bytes, path));
  return Stated(std::move(manifest), path, /*is_whole=*/false);
}

// Compares a manifest beside an artifact with another of the same artifact.
absl::Status CheckAgreement(const StatedManifest& beside, const StatedManifest& other) {
  const std::vector<std::string> fields =
      DifferingFields(other.is_whole ? beside.manifest : ManifestWithin(beside.manifest), other.manifest, {});
  if (fields.empty()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(beside.path, ": differs from the manifest ", other.path, " in ", FirstFew(fields)));
}

}  // namespace

std::string DifferentFields(absl::string_view what, const std::vector<StatedField>& fields) {
  std::vector<std::string> different;
  for (const auto& [name, wanted, has] : fields) {
    if (wanted != has) different.push_back(absl::StrCat(name, " wants ", wanted, ", has ", Brief(has)));
  }
  return different.empty() ? "" : absl::StrCat(what, ": ", absl::StrJoin(different, "; "));
}

absl::StatusOr<StatedManifest> ReadStatedManifest(const StoredArtifact& file,
                                                  const absl::optional<ArtifactSignature>& signature) {
  if (signature && file.data_file() != nullptr && signature->data == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(signature->path, ": does not sign ", file.data_file()->path(),
                                                      ", which has the weights\n  sign the artifact anew"));
  }
  std::vector<StatedManifest> found;
  for (const std::string& path : PlacesBeside(file.path())) {
    absl::StatusOr<StatedManifest> beside = ReadBeside(path, signature);
    if (absl::IsNotFound(beside.status())) continue;
    RETURN_IF_ERROR(beside.status());
    found.push_back(*std::move(beside));
  }
  if (signature && found.empty()) {
    return absl::NotFoundError(absl::StrCat(ManifestPath(file.path()), ": is missing, and ", signature->path,
                                            " signs it\n  put it beside the artifact again"));
  }
  ASSIGN_OR_RETURN(const absl::optional<StoredPart> part, file.FindManifest());
  if (part) {
    ASSIGN_OR_RETURN(StatedManifest within, ReadWithin(file, *part));
    found.push_back(std::move(within));
  }
  if (found.empty()) {
    return absl::NotFoundError(absl::StrCat(file.path(), ": no manifest in it, and no ", ManifestPath(file.path()),
                                            " beside it: Modelport did not write it\n"
                                            "  verify runs only modules that it builds from a plugin; for other files "
                                            "see lint"));
  }
  for (size_t i = 1; i < found.size(); ++i) RETURN_IF_ERROR(CheckAgreement(found[0], found[i]));
  return std::move(found[0]);
}

absl::Status CheckDataFile(const StoredArtifact& file, const StatedManifest& stated) {
  if (file.data_file() == nullptr || !stated.is_whole) return absl::OkStatus();
  const std::string& wanted = stated.manifest.artifact().data().sha256();
  const std::string sha256 = Sha256Of(file.data_file()->bytes());
  if (sha256 == wanted) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(file.data_file()->path(), ": is not the data file that ", stated.path,
                                          " is about: sha256 wants ", Brief(wanted), ", has ", sha256,
                                          "\n  copy all files of one export, or export the model again"));
}

}  // namespace modelport
