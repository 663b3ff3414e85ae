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
  if (absl::EndsWith(out, DataFilePath(".onnx"))) {
    return absl::InvalidArgumentError(
        absl::StrCat(out, ": is the name of the weights beside an ONNX file; name the file, such as m.onnx"));
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

// A link `path` would lead `what` away from its artifact.
absl::Status CheckIsNoLink(const std::string& path, absl::string_view what) {
  if (!IsLink(path)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": is a link, but ", what, " lies beside its artifact; remove the link"));
}

}  // namespace

absl::Status ExportOutputs::OpenData() {
  const std::string data_path = DataFilePath(path);
  RETURN_IF_ERROR(CheckIsNoLink(data_path, "a data file"));
  ASSIGN_OR_RETURN(data, OutputFile::Create(data_path));
  return absl::OkStatus();
}

absl::Status ExportOutputs::Commit() {
  std::vector<OutputFile*> files = {&artifact, &manifest};
  if (data) files.insert(files.begin(), &*data);  // Each describes those before it.
  return OutputFile::CommitTogether(files);
}

absl::StatusOr<ExportOutputs> OpenExportOutputs(const std::string& out) {
  ASSIGN_OR_RETURN(const OutputPlace place, FindOutputPlace(out));
  const bool is_link = IsLink(out);
  std::string path = is_link ? place.Path() : out;
  RETURN_IF_ERROR(CheckName(path));
  const std::string manifest_path = ManifestPath(path);
  if (is_link) RETURN_IF_ERROR(CheckBesideLink(out, manifest_path));
  RETURN_IF_ERROR(CheckIsNoLink(manifest_path, "a manifest"));
  ASSIGN_OR_RETURN(OutputFile artifact, OutputFile::Create(out));
  ASSIGN_OR_RETURN(OutputFile manifest, OutputFile::Create(manifest_path));
  return ExportOutputs{std::move(path), std::move(artifact), std::move(manifest)};
}

}  // namespace modelport
