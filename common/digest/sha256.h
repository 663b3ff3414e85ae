#ifndef MODELPORT_COMMON_DIGEST_SHA256_H_
#define MODELPORT_COMMON_DIGEST_SHA256_H_

#include <openssl/sha.h>

#include <string>

#include "absl/strings/string_view.h"

namespace modelport {

// Computes the SHA-256 digest of bytes that arrive piece by piece.
class Sha256 {
 public:
  Sha256();

  void Update(absl::string_view bytes);

  // The digest of all bytes so far as 64 lower-case hex digits. More bytes may follow.
  std::string HexDigest() const;

 private:
  SHA256_CTX context_;
};

// The digest of `bytes`.
std::string Sha256Of(absl::string_view bytes);

}  // namespace modelport

#endif  // MODELPORT_COMMON_DIGEST_SHA256_H_
