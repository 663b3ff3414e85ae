#include "tools/inspect/describe_artifact.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "artifact/signature/artifact_signature.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/manifest/manifest.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"
#include "common/torchscript/archive/artifact_file.h"

namespace modelport {
namespace {

absl::optional<Manifest> IfItNamesAModel(Manifest manifest) {
  return manifest.model().empty() ? absl::nullopt : absl::make_optional(std::move(manifest));
}

absl::optional<Manifest> ManifestWithin(const ArtifactFile& file) {
  const ZipRecord* const record = file.Find(absl::StrCat("extra/", kManifestExtraFile));
  if (record == nullptr || record->deflated) return absl::nullopt;
  return IfItNamesAModel(ParseKnownFields(record->bytes));
}

absl::optional<Manifest> ManifestBeside(const std::string& path) {
  const auto beside = MappedFile::Open(ManifestPath(path));
  return beside.ok() ? IfItNamesAModel(ParseKnownFields((*beside)->bytes())) : absl::nullopt;
}

}  // namespace

absl::StatusOr<ArtifactDescription> DescribeArtifact(const std::string& path) {
  ASSIGN_OR_RETURN(const ArtifactFile file, ArtifactFile::Open(path));
  ASSIGN_OR_RETURN(const std::string real_path, ArtifactRealPath(path));
  ArtifactDescription description = {.path = path,
                                     .size_bytes = static_cast<int64_t>(file.bytes().size()),
                                     .sha256 = Sha256Of(file.bytes()),
                                     .within = ManifestWithin(file),
                                     .beside = ManifestBeside(real_path),
                                     .signature = SignatureBeside(path)};
  RETURN_IF_ERROR(file.mapped_file().CheckUnchanged());
  const absl::optional<Manifest>& beside = description.beside;
  if (!beside || beside->artifact().sha256() == description.sha256) return description;
  return absl::DataLossError(absl::StrCat(ManifestPath(real_path), ": describes another file: sha256 is ",
                                          Brief(beside->artifact().sha256()), ", that of ", path, " is ",
                                          description.sha256));
}

}  // namespace modelport
