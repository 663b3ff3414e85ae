#include "artifact/signature/sign_artifact.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "artifact/signature/artifact_signature.h"
#include "artifact/signature/bundle.h"
#include "artifact/signature/p256_key.h"
#include "artifact/signature/signature.h"
#include "artifact/signature/statement.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/io/output_file.h"
#include "common/manifest/manifest.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<PrivateKey> ReadPrivateKey(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<PrivateKey> key = PrivateKey::Parse(file->bytes());
  if (!key.ok()) return Annotate(key.status(), path);
  return key;
}

absl::StatusOr<std::shared_ptr<const MappedFile>> OpenManifest(const std::string& path) {
  absl::StatusOr<std::shared_ptr<const MappedFile>> file = MappedFile::Open(path);
  if (!absl::IsNotFound(file.status())) return file;
  return absl::NotFoundError(absl::StrCat(
      path, ": no manifest lies beside the artifact\n  sign the two files that export wrote, in one folder"));
}

// A file at the signature's place is replaced only if it is a signature.
absl::Status CheckPlace(const std::string& path) {
  const absl::StatusOr<std::shared_ptr<const MappedFile>> file = MappedFile::Open(path);
  if (absl::IsNotFound(file.status())) return absl::OkStatus();
  RETURN_IF_ERROR(file.status());
  if (ParseBundle((*file)->bytes()).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": the signature goes here, but this file is no signature\n  move it to another place"));
}

SignedFile Described(const std::string& path, const MappedFile& file) {
  return {.name = fs::path(path).filename().string(), .sha256 = Sha256Of(file.bytes())};
}

}  // namespace

absl::StatusOr<WrittenSignature> SignArtifact(const std::string& artifact, const std::string& private_key) {
  ASSIGN_OR_RETURN(const PrivateKey key, ReadPrivateKey(private_key));
  ASSIGN_OR_RETURN(const std::string path, ArtifactRealPath(artifact));
  const std::string manifest_path = ManifestPath(path), signature_path = SignaturePath(path);
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> manifest, OpenManifest(manifest_path));
  RETURN_IF_ERROR(CheckPlace(signature_path));
  std::vector<SignedFile> files = {Described(path, *file), Described(manifest_path, *manifest)};
  const std::string sha256 = files[0].sha256;
  if (ParseKnownFields(manifest->bytes()).artifact().sha256() != sha256) {
    return absl::FailedPreconditionError(absl::StrCat(manifest_path, ": does not describe ", path, ", whose sha256 is ",
                                                      sha256, "\n  sign the two files that one export wrote"));
  }
  // As model_signing sorts them.
  std::sort(files.begin(), files.end(), [](const SignedFile& a, const SignedFile& b) { return a.name < b.name; });
  ASSIGN_OR_RETURN(const std::string text, SignFiles(fs::path(path).stem().string(), files, key));
  RETURN_IF_ERROR(file->CheckUnchanged());
  RETURN_IF_ERROR(manifest->CheckUnchanged());
  RETURN_IF_ERROR(OutputFile::WriteWhole(signature_path, text));
  return WrittenSignature{.path = signature_path, .key_id = key.id(), .artifact_sha256 = sha256};
}

}  // namespace modelport
