#include "artifact/signature/p256_key.h"

#include <mbedtls/ecdsa.h>
#include <mbedtls/ecp.h>
#include <mbedtls/entropy.h>
#include <mbedtls/md.h>
#include <mbedtls/pk.h>
#include <mbedtls/platform_util.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/digest/sha256.h"
#include "common/status/status_macros.h"

namespace modelport {
namespace {

// In bytes. A key on P-256 has less than 300, to which OpenSSL may add a text that describes it.
constexpr size_t kMaxSize = size_t{1} << 14;

constexpr char kMakeKey[] =
    "\n  make one with: openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out PRIVATE.pem";

const unsigned char* Bytes(const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); }

KeyContext NewContext() {
  KeyContext key(new mbedtls_pk_context);
  mbedtls_pk_init(key.get());
  return key;
}

absl::Status CheckSize(absl::string_view pem) {
  if (pem.size() <= kMaxSize) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("not a key: has ", pem.size(), " bytes, wants at most ", kMaxSize));
}

// Fails for what the library would take besides PEM. `arguments` are those of openssl pkey that make PEM of DER.
absl::Status CheckIsPem(absl::string_view text, absl::string_view kind, absl::string_view arguments) {
  if (absl::StartsWith(text, "\x30")) {  // A sequence in DER.
    return absl::InvalidArgumentError(absl::StrCat("not a ", kind, " key in PEM, but perhaps one in DER",
                                                   "\n  convert it with: openssl pkey ", arguments));
  }
  if (text.find('\0') != text.npos) {
    return absl::InvalidArgumentError(absl::StrCat("not a ", kind, " key in PEM: it has a NUL\n  get the file again"));
  }
  return absl::OkStatus();
}

absl::Status WrongKind(absl::string_view has) {
  return absl::InvalidArgumentError(absl::StrCat("wants a key on the curve P-256, has ", has, kMakeKey));
}

// Fails if the library could not parse a key of `kind`.
absl::Status CheckParsed(int error, absl::string_view kind, absl::string_view cure) {
  if (error == 0) return absl::OkStatus();
  const int high_level = -(-error & ~0x7F);  // Without the code of the module where it happened.
  if (high_level == MBEDTLS_ERR_PK_UNKNOWN_PK_ALG || high_level == MBEDTLS_ERR_PK_UNKNOWN_NAMED_CURVE) {
    return WrongKind("one of another kind");
  }
  return absl::InvalidArgumentError(absl::StrCat("not a ", kind, " key in PEM", cure));
}

absl::Status CheckKind(const mbedtls_pk_context& key) {
  if (mbedtls_pk_get_type(&key) != MBEDTLS_PK_ECKEY) return WrongKind(mbedtls_pk_get_name(&key));
  if (mbedtls_pk_ec(key)->grp.id != MBEDTLS_ECP_DP_SECP256R1) return WrongKind("one on another curve");
  return absl::OkStatus();
}

// PublicKey::id().
absl::StatusOr<std::string> IdOf(mbedtls_pk_context& key) {
  char pem[512];
  if (mbedtls_pk_write_pubkey_pem(&key, reinterpret_cast<unsigned char*>(pem), sizeof(pem)) == 0) return Sha256Of(pem);
  return absl::InternalError("the public key cannot be written");
}

std::string DigestOf(absl::string_view bytes) { return absl::HexStringToBytes(Sha256Of(bytes)); }

int FillRandom(void*, unsigned char* bytes, size_t size) {
  constexpr size_t kMost = 256;  // Of one call.
  for (size_t done = 0; done < size; done += kMost) {
    if (getentropy(bytes + done, std::min(kMost, size - done)) != 0) return MBEDTLS_ERR_ENTROPY_SOURCE_FAILED;
  }
  return 0;
}

}  // namespace

void FreeKey::operator()(mbedtls_pk_context* key) const {
  mbedtls_pk_free(key);
  delete key;
}

absl::StatusOr<PublicKey> PublicKey::Parse(absl::string_view pem) {
  RETURN_IF_ERROR(CheckSize(pem));
  RETURN_IF_ERROR(CheckIsPem(pem, "public", "-pubin -inform DER -in PUBLIC.der -out PUBLIC.pem"));
  const std::string text(pem);
  KeyContext key = NewContext();
  // Counting the NUL at the end tells the library that it is PEM.
  const int error = mbedtls_pk_parse_public_key(key.get(), Bytes(text), text.size() + 1);
  RETURN_IF_ERROR(CheckParsed(
      error, "public", "\n  write that of a private key with: openssl pkey -in PRIVATE.pem -pubout -out PUBLIC.pem"));
  RETURN_IF_ERROR(CheckKind(*key));
  ASSIGN_OR_RETURN(std::string id, IdOf(*key));
  return PublicKey(std::move(key), std::move(id));
}

bool PublicKey::Accepts(absl::string_view bytes, absl::string_view signature) const {
  const std::string digest = DigestOf(bytes), der(signature);
  return mbedtls_pk_verify(key_.get(), MBEDTLS_MD_SHA256, Bytes(digest), digest.size(), Bytes(der), der.size()) == 0;
}

absl::StatusOr<PrivateKey> PrivateKey::Parse(absl::string_view pem) {
  RETURN_IF_ERROR(CheckSize(pem));
  RETURN_IF_ERROR(CheckIsPem(pem, "private", "-inform DER -in PRIVATE.der -out PRIVATE.pem"));
  std::string text(pem);
  KeyContext key = NewContext();
  const int error = mbedtls_pk_parse_key(key.get(), Bytes(text), text.size() + 1, nullptr, 0);
  mbedtls_platform_zeroize(text.data(), text.size());
  if (error == MBEDTLS_ERR_PK_PASSWORD_REQUIRED) {
    return absl::InvalidArgumentError(
        "is encrypted\n  decrypt it with: openssl pkey -in ENCRYPTED.pem -out PRIVATE.pem");
  }
  RETURN_IF_ERROR(CheckParsed(error, "private", kMakeKey));
  RETURN_IF_ERROR(CheckKind(*key));
  ASSIGN_OR_RETURN(std::string id, IdOf(*key));
  return PrivateKey(std::move(key), std::move(id));
}

absl::StatusOr<std::string> PrivateKey::Sign(absl::string_view bytes) const {
  const std::string digest = DigestOf(bytes);
  std::string der(MBEDTLS_ECDSA_MAX_LEN, '\0');
  size_t size = 0;
  const int error = mbedtls_pk_sign(key_.get(), MBEDTLS_MD_SHA256, Bytes(digest), digest.size(),
                                    reinterpret_cast<unsigned char*>(der.data()), &size, FillRandom, nullptr);
  if (error != 0) return absl::UnavailableError(absl::StrCat("the key cannot sign: error ", error, " of Mbed TLS"));
  return der.substr(0, size);
}

}  // namespace modelport
