#ifndef MODELPORT_ARTIFACT_SIGNATURE_SIGN_ARTIFACT_H_
#define MODELPORT_ARTIFACT_SIGNATURE_SIGN_ARTIFACT_H_

#include <string>

#include "absl/status/statusor.h"

namespace modelport {

// A signature file, written.
struct WrittenSignature {
  std::string path;
  std::string key_id;           // PublicKey::id()
  std::string artifact_sha256;  // 64 lower-case hex digits
};

// Signs the artifact and the manifest beside it with the key in the file `private_key`, and writes the signature beside
// them, in place of an older one; beside the file itself if `artifact` is a link. Runs no code of the artifact.
//   NotFound            no artifact, no manifest beside it, or no key
//   InvalidArgument     not a private key on P-256; or the signature's name has a file that is no signature
//   FailedPrecondition  the manifest describes another file, or a file changed meanwhile
//   others              as OutputFile::Create
absl::StatusOr<WrittenSignature> SignArtifact(const std::string& artifact, const std::string& private_key);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_SIGNATURE_SIGN_ARTIFACT_H_
