// OpenSSL recommends EVP instead of these functions. EVP refers to every digest and cipher, which would add 3.8 MB to
// the release.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "common/digest/sha256.h"

#include <openssl/sha.h>

#include "absl/strings/escaping.h"

namespace modelport {

Sha256::Sha256() { SHA256_Init(&context_); }

void Sha256::Update(absl::string_view bytes) { SHA256_Update(&context_, bytes.data(), bytes.size()); }

std::string Sha256::HexDigest() const {
  SHA256_CTX copy = context_;  // So that this digest can take more bytes.
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256_Final(digest, &copy);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), sizeof(digest)));
}

std::string Sha256Of(absl::string_view bytes) {
  Sha256 sha256;
  sha256.Update(bytes);
  return sha256.HexDigest();
}

}  // namespace modelport
