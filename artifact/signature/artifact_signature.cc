#include "artifact/signature/artifact_signature.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "artifact/signature/p256_key.h"
#include "artifact/signature/signature.h"
#include "common/digest/sha256.h"
#include "common/io/mapped_file.h"
#include "common/io/output_file.h"
#include "common/manifest/manifest.h"
#include "common/status/annotate.h"
#include "common/status/status_macros.h"
#include "common/text/first_few.h"

namespace modelport {
namespace {

namespace fs = std::filesystem;

constexpr char kGetAgain[] = "\n  get it again from whoever signed the artifact, or sign the artifact anew";

absl::StatusOr<PublicKey> ReadPublicKey(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<PublicKey> key = PublicKey::Parse(file->bytes());
  if (!key.ok()) return Annotate(key.status(), path);
  return key;
}

absl::StatusOr<std::vector<SignedFile>> ReadSignature(const std::string& path, const PublicKey& key) {
  const absl::StatusOr<std::shared_ptr<const MappedFile>> file = MappedFile::Open(path);
  if (absl::IsNotFound(file.status())) {
    return absl::NotFoundError(
        absl::StrCat(path,
                     ": no signature lies beside the artifact\n  get it from whoever signed the artifact, or sign "
                     "the artifact; without --key none is wanted"));
  }
  RETURN_IF_ERROR(file.status());
  absl::StatusOr<std::vector<SignedFile>> files = OpenSignature((*file)->bytes(), key);
  if (files.ok()) return files;
  const bool other_key = absl::IsFailedPrecondition(files.status());
  return absl::Status(
      files.status().code(),
      absl::StrCat(path, ": ", absl::IsInvalidArgument(files.status()) ? "no signature by a key: " : "",
                   files.status().message(),
                   other_key ? "\n  give --key the public key of whoever signed it, if you trust them" : kGetAgain));
}

// The digest that the signature states for `name`; "" if it is not of this file.
std::string DigestOf(const std::vector<SignedFile>& files, const std::string& name) {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const SignedFile& file) { return file.name == name; });
  return found == files.end() ? "" : found->sha256;
}

std::string FileName(const std::string& path) { return fs::path(path).filename().string(); }

// Fails unless the signature is of these two files and no other.
absl::Status CheckNames(const std::string& path, const std::vector<SignedFile>& files,
                        const std::vector<std::string>& wanted) {
  std::vector<std::string> names;
  for (const SignedFile& file : files) names.push_back(file.name);
  if (std::is_permutation(names.begin(), names.end(), wanted.begin(), wanted.end())) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(path, ": signs other files: wants ", FirstFew(wanted), "; has ",
                                                    FirstFew(names),
                                                    "\n  if the files were renamed, give them these names again"));
}

// Fails unless `bytes`, those of the file at `path`, have the digest `wanted` that `signature` states. `kind` says what
// the file should be.
absl::StatusOr<std::string> CheckDigest(absl::string_view bytes, const std::string& path, absl::string_view kind,
                                        const std::string& signature, const std::string& wanted) {
  std::string sha256 = Sha256Of(bytes);
  if (sha256 == wanted) return sha256;
  return absl::DataLossError(absl::StrCat(path, ": is not the ", kind, " that ", signature, " signs: sha256 wants ",
                                          wanted, ", has ", sha256, kGetAgain));
}

absl::StatusOr<PrivateKey> ReadPrivateKey(const std::string& path) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  absl::StatusOr<PrivateKey> key = PrivateKey::Parse(file->bytes());
  if (!key.ok()) return Annotate(key.status(), path);
  return key;
}

absl::StatusOr<std::shared_ptr<const MappedFile>> OpenManifest(const std::string& path) {
  absl::StatusOr<std::shared_ptr<const MappedFile>> file = MappedFile::Open(path);
  if (!absl::IsNotFound(file.status())) return file;
  return absl::NotFoundError(
      absl::StrCat(path, ": no manifest lies beside the artifact\n  sign the files that export wrote, in one folder"));
}

// A file at the signature's place is replaced only if it is a signature.
absl::Status CheckPlace(const std::string& path) {
  const auto file = MappedFile::Open(path, MappedFile::Use::kReplaced);
  if (absl::IsNotFound(file.status())) return absl::OkStatus();
  RETURN_IF_ERROR(file.status());
  if (ParseBundle((*file)->bytes()).ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": the signature goes here, but this file is no signature\n  move it to another place"));
}

// What is signed of an artifact.
struct ArtifactFiles {
  std::shared_ptr<const MappedFile> artifact = nullptr, manifest = nullptr;
  std::shared_ptr<const MappedFile> data = nullptr;  // Null unless the manifest names one.
  Manifest::Artifact stated = {};                    // What the manifest says of both.
};

absl::StatusOr<ArtifactFiles> OpenFiles(const std::string& path) {
  ArtifactFiles files;
  ASSIGN_OR_RETURN(files.artifact, MappedFile::Open(path));
  ASSIGN_OR_RETURN(files.manifest, OpenManifest(ManifestPath(path)));
  files.stated = ParseKnownFields(files.manifest->bytes()).artifact();
  if (!files.stated.has_data()) return files;
  ASSIGN_OR_RETURN(files.data, MappedFile::Open(DataFilePath(path), MappedFile::Use::kNamed));
  return files;
}

// What is signed of `file`, whose digest `manifest` has to state.
absl::StatusOr<SignedFile> Described(const MappedFile& file, const std::string& stated, const MappedFile& manifest) {
  SignedFile described = {.name = FileName(file.path()), .sha256 = Sha256Of(file.bytes())};
  if (described.sha256 == stated) return described;
  return absl::FailedPreconditionError(absl::StrCat(manifest.path(), ": does not describe ", file.path(),
                                                    ", whose sha256 is ", described.sha256,
                                                    "\n  sign the files that one export wrote"));
}

// The artifact is the first.
absl::StatusOr<std::vector<SignedFile>> DescribeFiles(const ArtifactFiles& opened) {
  const auto& [artifact, manifest, data, stated] = opened;
  std::vector<SignedFile> files;
  ASSIGN_OR_RETURN(files.emplace_back(), Described(*artifact, stated.sha256(), *manifest));
  files.push_back({.name = FileName(manifest->path()), .sha256 = Sha256Of(manifest->bytes())});
  if (data == nullptr) return files;
  ASSIGN_OR_RETURN(files.emplace_back(), Described(*data, stated.data().sha256(), *manifest));
  return files;
}

}  // namespace

std::string SignaturePath(absl::string_view artifact_path) {
  return absl::StrCat(WithoutArtifactEnding(artifact_path), ".sig");
}

std::string SignatureBeside(const std::string& artifact) {
  const absl::StatusOr<std::string> path = ArtifactRealPath(artifact);
  if (!path.ok()) return "";
  std::error_code error;
  std::string signature = SignaturePath(*path);
  return fs::exists(signature, error) ? signature : "";
}

absl::StatusOr<ArtifactSignature> CheckSignature(const std::string& artifact, const MappedFile& file,
                                                 const std::string& public_key, decltype(MappedFile::Open)& open) {
  ASSIGN_OR_RETURN(const PublicKey key, ReadPublicKey(public_key));
  ASSIGN_OR_RETURN(const std::string path, ArtifactRealPath(artifact));
  const std::string signature = SignaturePath(path);
  ASSIGN_OR_RETURN(const std::vector<SignedFile> files, ReadSignature(signature, key));
  const std::string name = FileName(path), manifest = FileName(ManifestPath(path)), data = DataFileName(path);
  std::vector<std::string> wanted = {name, manifest};
  const std::string data_sha256 = DigestOf(files, data);
  if (!data_sha256.empty()) wanted.push_back(data);
  RETURN_IF_ERROR(CheckNames(signature, files, wanted));
  ArtifactSignature checked = {signature, key.id(), "", DigestOf(files, manifest)};
  ASSIGN_OR_RETURN(checked.artifact_sha256,
                   CheckDigest(file.bytes(), artifact, "file", signature, DigestOf(files, name)));
  if (data_sha256.empty()) return checked;
  const std::string data_path = DataFilePath(path);
  ASSIGN_OR_RETURN(checked.data, open(data_path, MappedFile::Use::kNamed));
  ASSIGN_OR_RETURN(checked.data_sha256,
                   CheckDigest(checked.data->bytes(), data_path, "data file", signature, data_sha256));
  return checked;
}

absl::Status CheckManifestSigned(absl::string_view json, const std::string& path, const ArtifactSignature& signature) {
  return CheckDigest(json, path, "manifest", signature.path, signature.manifest_sha256).status();
}

bool HasOldSignature(const std::string& artifact, const Manifest& manifest) {
  const absl::StatusOr<std::string> path = ArtifactRealPath(artifact);
  if (!path.ok()) return false;
  const auto file = MappedFile::Open(SignaturePath(*path));
  const auto bundle = file.ok() ? ParseBundle((*file)->bytes()) : file.status();
  const auto files = bundle.ok() ? ParseStatement(bundle->payload) : bundle.status();
  if (!files.ok()) return false;
  if (DigestOf(*files, FileName(*path)) != manifest.artifact().sha256()) return true;
  const auto text = WriteManifest(manifest);
  return text.ok() && DigestOf(*files, FileName(ManifestPath(*path))) != Sha256Of(*text);
}

absl::StatusOr<WrittenSignature> SignArtifact(const std::string& artifact, const std::string& private_key) {
  ASSIGN_OR_RETURN(const PrivateKey key, ReadPrivateKey(private_key));
  ASSIGN_OR_RETURN(const std::string path, ArtifactRealPath(artifact));
  const std::string signature_path = SignaturePath(path);
  ASSIGN_OR_RETURN(const ArtifactFiles opened, OpenFiles(path));
  RETURN_IF_ERROR(CheckPlace(signature_path));
  ASSIGN_OR_RETURN(std::vector<SignedFile> files, DescribeFiles(opened));
  const std::string sha256 = files[0].sha256;
  // As model_signing sorts them.
  std::sort(files.begin(), files.end(), [](const SignedFile& a, const SignedFile& b) { return a.name < b.name; });
  ASSIGN_OR_RETURN(const std::string text, SignFiles(fs::path(path).stem().string(), files, key));
  for (const auto& file : {opened.artifact, opened.manifest, opened.data}) {
    if (file != nullptr) RETURN_IF_ERROR(file->CheckUnchanged());
  }
  RETURN_IF_ERROR(OutputFile::WriteWhole(signature_path, text));
  return WrittenSignature{.path = signature_path, .key_id = key.id(), .artifact_sha256 = sha256};
}

}  // namespace modelport
