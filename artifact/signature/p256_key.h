// Keys that sign by ECDSA on the curve P-256 with SHA-256, in PEM as OpenSSL writes them.
#ifndef MODELPORT_ARTIFACT_SIGNATURE_P256_KEY_H_
#define MODELPORT_ARTIFACT_SIGNATURE_P256_KEY_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct mbedtls_pk_context;

namespace modelport {

struct FreeKey {
  void operator()(mbedtls_pk_context* key) const;
};
using KeyContext = std::unique_ptr<mbedtls_pk_context, FreeKey>;

class PublicKey {
 public:
  // Reads "-----BEGIN PUBLIC KEY-----". InvalidArgument for anything else, and for a key of another kind.
  static absl::StatusOr<PublicKey> Parse(absl::string_view pem);

  // The SHA-256 of the key's PEM text, as 64 lower-case hex digits: what `sha256sum` prints of a file that OpenSSL
  // wrote.
  const std::string& id() const { return id_; }

  // Whether `signature`, in DER, is one of `bytes` by the private key of this key.
  bool Accepts(absl::string_view bytes, absl::string_view signature) const;

 private:
  PublicKey(KeyContext key, std::string id) : key_(std::move(key)), id_(std::move(id)) {}

  KeyContext key_;
  std::string id_;
};

class PrivateKey {
 public:
  // Reads "-----BEGIN PRIVATE KEY-----" or "-----BEGIN EC PRIVATE KEY-----". InvalidArgument for anything else, for a
  // key of another kind, and for an encrypted one.
  static absl::StatusOr<PrivateKey> Parse(absl::string_view pem);

  // PublicKey::id() of its public key.
  const std::string& id() const { return id_; }

  // The signature of `bytes`, in DER; the same for the same bytes (RFC 6979). Unavailable if the system has no random
  // numbers, which hide the computation from an observer.
  absl::StatusOr<std::string> Sign(absl::string_view bytes) const;

 private:
  PrivateKey(KeyContext key, std::string id) : key_(std::move(key)), id_(std::move(id)) {}

  KeyContext key_;
  std::string id_;
};

}  // namespace modelport

#endif  // MODELPORT_ARTIFACT_SIGNATURE_P256_KEY_H_
