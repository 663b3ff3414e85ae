#ifndef MODELPORT_ARTIFACT_SIGNATURE_BUNDLE_H_
#define MODELPORT_ARTIFACT_SIGNATURE_BUNDLE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace modelport {

// What the file of a signature by a key holds. The format is Sigstore's bundle, version 0.3, around a DSSE envelope, as
// model_signing 1.x writes it (github.com/sigstore/model-transparency, docs/model_signing_format.md).
struct Bundle {
  std::string key_id;     // PublicKey::id() of who signed, as the file says.
  std::string payload;    // What is signed: an in-toto statement (statement.h).
  std::string signature;  // Of SignedBytes(payload), in DER.
};

// The bundle as JSON in one line. `key_id` must be UTF-8.
std::string WriteBundle(const Bundle& bundle);

// Reads a bundle, and checks nothing that it says.
//   DataLoss         truncated, or not JSON as ParseStrictJson wants it
//   InvalidArgument  no bundle of one signature by a key
absl::StatusOr<Bundle> ParseBundle(absl::string_view json);

// The bytes over which the signature is: the payload with its type, as DSSE encodes them (PAE).
std::string SignedBytes(absl::string_view payload);

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_SIGNATURE_BUNDLE_H_
