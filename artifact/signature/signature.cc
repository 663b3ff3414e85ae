#include "artifact/signature/signature.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "artifact/signature/bundle.h"
#include "common/status/status_macros.h"
#include "common/text/printable.h"

namespace modelport {

absl::StatusOr<std::string> SignFiles(absl::string_view model, const std::vector<SignedFile>& files,
                                      const PrivateKey& key) {
  for (const SignedFile& file : files) {
    if (Printable(file.name) == file.name) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(Printable(file.name),
                     ": a signature cannot hold this name\n  rename it: wants UTF-8 without "
                     "control characters"));
  }
  Bundle bundle;
  bundle.key_id = key.id();
  bundle.payload = WriteStatement(Printable(model), files);
  ASSIGN_OR_RETURN(bundle.signature, key.Sign(SignedBytes(bundle.payload)));
  return WriteBundle(bundle);
}

absl::StatusOr<std::vector<SignedFile>> OpenSignature(absl::string_view bundle, const PublicKey& key) {
  ASSIGN_OR_RETURN(const Bundle read, ParseBundle(bundle));
  if (read.key_id != key.id()) {
    return absl::FailedPreconditionError(
        absl::StrCat("is by another key: wants sha256:", key.id(), ", has sha256:", Brief(read.key_id)));
  }
  if (!key.Accepts(SignedBytes(read.payload), read.signature)) {
    return absl::DataLossError(absl::StrCat("was altered: the key sha256:", key.id(), " did not sign what it says"));
  }
  return ParseStatement(read.payload);
}

}  // namespace modelport
