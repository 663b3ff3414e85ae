#ifndef MODELPORT_ARTIFACT_SIGNATURE_ARTIFACT_SIGNATURE_H_
#define MODELPORT_ARTIFACT_SIGNATURE_ARTIFACT_SIGNATURE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "common/io/mapped_file.h"
#include "common/manifest/manifest.pb.h"

namespace modelport {

// Where the signature of an artifact lies: "out/m.sig" for "out/m.pt".
std::string SignaturePath(absl::string_view artifact_path);

// The path of the file that lies where the artifact's signature belongs; "" if none does. It is not read.
std::string SignatureBeside(const std::string& artifact);

// What a signature says, once it is known who made it.
struct ArtifactSignature {
  std::string path;
  std::string key_id;                                // PublicKey::id()
  std::string artifact_sha256;                       // As `file` of CheckSignature has it.
  std::string manifest_sha256;                       // As the manifest must have it, which is not read here.
  std::shared_ptr<const MappedFile> data = nullptr;  // The data file beside the artifact; null if it is not signed.
  std::string data_sha256 = {};                      // As `data` has it.
};

// Checks that the owner of the key in the file `public_key` signed the artifact at `artifact`, whose bytes are those of
// `file`, a manifest and, if the signature names one, the data file, which `open` opens. Messages begin with the file
// that they are about.
//   NotFound            no signature beside the artifact, no key, or no data file that was signed
//   InvalidArgument     not a signature by a key, or not a public key on P-256
//   DataLoss            the signature was cut or altered, or a file is not the one that was signed
//   FailedPrecondition  signed by another key, or of files with other names
absl::StatusOr<ArtifactSignature> CheckSignature(const std::string& artifact, const MappedFile& file,
                                                 const std::string& public_key,
                                                 decltype(MappedFile::Open)& open = MappedFile::Open);

// Checks that `json`, the text of the manifest at `path`, is the one that was signed. DataLoss if it is not.
absl::Status CheckManifestSigned(absl::string_view json, const std::string& path, const ArtifactSignature& signature);

// Whether a signature beside the artifact is of other files than the artifact and its manifest, which `manifest`
// describes. So it is when an export has replaced them by others. Whose signature it is does not matter.
bool HasOldSignature(const std::string& artifact, const Manifest& manifest);

// A signature file, written.
struct WrittenSignature {
  std::string path;
  std::string key_id;           // PublicKey::id()
  std::string artifact_sha256;  // 64 lower-case hex digits
};

// Signs the artifact, the manifest beside it and the data file that this names, if any, with the key in the file
// `private_key`, and writes the signature beside them, in place of an older one; beside the file itself if `artifact`
// is a link. Runs no code of the artifact.
//   NotFound            no artifact, no manifest or no data file beside it, or no key
//   InvalidArgument     not a private key on P-256; or the signature's name has a file that is no signature
//   FailedPrecondition  the manifest describes other files, or a file changed meanwhile
//   others              as OutputFile::Create
absl::StatusOr<WrittenSignature> SignArtifact(const std::string& artifact, const std::string& private_key);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_SIGNATURE_ARTIFACT_SIGNATURE_H_
