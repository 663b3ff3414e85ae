#ifndef MODELPORT_ARTIFACT_SIGNATURE_SIGNATURE_H_
#define MODELPORT_ARTIFACT_SIGNATURE_SIGNATURE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "artifact/signature/p256_key.h"
#include "artifact/signature/statement.h"

namespace modelport {

// The text of a signature file, a bundle (bundle.h), that says that the owner of `key` signed `files`. Equal files give
// equal bytes. `model` is for people to read.
//   InvalidArgument  a name is not UTF-8 or has control characters
//   Unavailable      as PrivateKey::Sign
absl::StatusOr<std::string> SignFiles(absl::string_view model, const std::vector<SignedFile>& files,
                                      const PrivateKey& key);

// The files that the owner of `key` signed, as `bundle`, the text of a signature file, says.
//   DataLoss            truncated; or altered: it names `key`, which did not sign what it says
//   InvalidArgument     no signature of files by a key
//   FailedPrecondition  signed by another key
absl::StatusOr<std::vector<SignedFile>> OpenSignature(absl::string_view bundle, const PublicKey& key);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_SIGNATURE_SIGNATURE_H_
