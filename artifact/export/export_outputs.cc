#include "artifact/export/export_outputs.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/io/output_place.h"
#include "common/manifest/manifest.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

bool IsLink(const std::string& path) {
  std::error_code error;
  return fs::is_symlink(path, error);
}

// The manifest of "m" and that of "m.pt" have one name, and a manifest or a signature may be taken for an artifact.
absl::Status CheckName(const std::string& out) {
  if (absl::EndsWith(out, ".sig")) {
    return absl::InvalidArgumentError(
        absl::StrCat(out, ": is the name of an artifact's signature; name the artifact, such as m.pt"));
  }
  if (absl::EndsWith(out, ManifestPath(""))) {
    return absl::InvalidArgumentError(
        absl::StrCat(out, ": is the name of a manifest; name the artifact, such as m.pt"));
  }
  const std::string stem(WithoutArtifactEnding(out));
  for (const std::string& other : {stem, absl::StrCat(stem, kArtifactEnding)}) {
    std::error_code error;
    if (other == out || !fs::is_regular_file(other, error)) continue;
    return absl::InvalidArgumentError(absl::StrCat(out, ": its manifest ", ManifestPath(out), " would stand beside ",
                                                   other, " too; choose another name"));
  }
  return absl::OkStatus();
}

// A link `out` must not stand beside a manifest other than `manifest`, which lies where it leads.
absl::Status CheckBesideLink(const std::string& out, const std::string& manifest) {
  const std::string beside = ManifestPath(out);
  std::error_code error;
  if (!Exists(beside) || fs::equivalent(beside, manifest, error)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(beside, ": stands beside the link ", out, ", whose manifest will be ",
                                                 manifest, "; remove it, or make it a link to that"));
}

// Where the manifest of the artifact `out` goes.
absl::StatusOr<std::string> FindManifestPath(const std::string& out) {
  ASSIGN_OR_RETURN(const OutputPlace place, FindOutputPlace(out));
  const bool is_link = IsLink(out);
  const std::string artifact = is_link ? place.Path() : out;
  RETURN_IF_ERROR(CheckName(artifact));
  const std::string manifest = ManifestPath(artifact);
  if (is_link) RETURN_IF_ERROR(CheckBesideLink(out, manifest));
  if (!IsLink(manifest)) return manifest;
  return absl::InvalidArgumentError(
      absl::StrCat(manifest, ": is a link, but a manifest lies beside its artifact; remove the link"));
}

}  // namespace

absl::StatusOr<ExportOutputs> OpenExportOutputs(const std::string& out) {
  ASSIGN_OR_RETURN(const std::string manifest_path, FindManifestPath(out));
  ASSIGN_OR_RETURN(OutputFile artifact, OutputFile::Create(out));
  ASSIGN_OR_RETURN(OutputFile manifest, OutputFile::Create(manifest_path));
  return ExportOutputs{std::move(artifact), std::move(manifest)};
}

}  // namespace modelport
