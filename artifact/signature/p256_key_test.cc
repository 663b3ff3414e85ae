#include "artifact/signature/p256_key.h"

#include <fstream>
#include <iterator>

#include "absl/strings/escaping.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string ReadKey(const std::string& name) {
  std::ifstream file("tests/signatures/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The key of RFC 6979, A.2.5.
constexpr char kRfcKey[] = R"(-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgya+p2EW6dRZrXCFX
Z7HWk05Qw9s26JsSe4piKxIPZyGhRANCAARg/tS6JVqdMclh63TGNW1owEm4kjth
+mzmaWIuYPKftnkD/hAIuLyZpBrp6VYovGTy8bIMLX6fUXejwpTURiKZ
-----END PRIVATE KEY-----
)";

// The key of private.pem, as OpenSSL wrote it before PKCS #8.
constexpr char kOlderForm[] = R"(-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIHciCIekNcOwIAUwtCkL9+7nR02MZ4p9RXnnpEbAhFbCoAoGCCqGSM49
AwEHoUQDQgAER9V/mXqrFqsuYiRAbOgYYZ/f1KEp5IjQBvK0rs3i8iPrRB2X0eo7
ikRBYJ9QhhytolFE18Bjp3FikDk/Lk8i8Q==
-----END EC PRIVATE KEY-----
)";

// The same key with a password.
constexpr char kEncrypted[] = R"(-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAh6ZrVAgIECUQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELofhtw5FJ42haeBFJAzCiQEgZBX
ZZmr2XnCasfGRlBddVv+gXPIPKU1EvL5m1vSS0gI+LTcW9XRr0dy7/zAe5XyEcG5
7JSkAmHwtUMLjLkYUWeVUaPfiqGoOSB7Edype2pRGaB2k1/ii/POb4uk2qJVtd2Z
W4zx//ZQ4deHHW5ZK/CIeCchYbKO1aA3/ZN7CiUb4UPMu/ssAL9CF7bxxTokFYU=
-----END ENCRYPTED PRIVATE KEY-----
)";

constexpr char kP384[] = R"(-----BEGIN PUBLIC KEY-----
MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEFrXRsW9dkSZsLdr16BcXf36BwmNL07DL
989W9ZXqQ80R87vqUC4ScSdAVdxQ3RJPGBBSV9aeaREpXpGjeexFUPYRDJo4MRKF
v5MJemt2JxM6E5FkgvLwpPaFSFG5VK53
-----END PUBLIC KEY-----
)";

constexpr char kEd25519[] = R"(-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEADW/V49/gIEtU0/o32rpTNiiOV3eYSkae2LBKWAmqsNI=
-----END PUBLIC KEY-----
)";

constexpr char kRsa[] = R"(-----BEGIN PUBLIC KEY-----
MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAKaQe1ABbRZrocOny+9U7k/f1LPwXAzn
KZzAJY+P0A3/EbQBTWU1oTSb+zkZNqoNxyzLE9eIQKOrqx6jKkKzqjcCAwEAAQ==
-----END PUBLIC KEY-----
)";

auto Invalid(const std::string& what) {
  return StatusIs(absl::StatusCode::kInvalidArgument, AllOf(StartsWith(what), HasSubstr("\n  ")));
}

TEST(P256KeyTest, SignsAsTheRfc) {
  const absl::StatusOr<PrivateKey> key = PrivateKey::Parse(kRfcKey);
  ASSERT_OK(key);
  const absl::StatusOr<std::string> signature = key->Sign("sample");
  ASSERT_OK(signature);
  EXPECT_EQ(absl::BytesToHexString(*signature),
            "3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
            "022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8");
}

// `openssl pkey -in tests/signatures/private.pem -pubout | sha256sum`
TEST(P256KeyTest, IdIsThatOfThePublicKeysPem) {
  const std::string id = "46b6bf5816cffbf83e101d70744eef5f19bf29f93ada4f8870e70fe02cf3997e";
  EXPECT_EQ(PublicKey::Parse(ReadKey("public.pem"))->id(), id);
  EXPECT_EQ(PrivateKey::Parse(ReadKey("private.pem"))->id(), id);
  EXPECT_EQ(PrivateKey::Parse(kOlderForm)->id(), id);
  EXPECT_NE(PublicKey::Parse(ReadKey("other_public.pem"))->id(), id);
}

TEST(P256KeyTest, AcceptsOnlyTheSignatureOfTheseBytesByThisKey) {
  const absl::StatusOr<PrivateKey> private_key = PrivateKey::Parse(ReadKey("private.pem"));
  const absl::StatusOr<PublicKey> key = PublicKey::Parse(ReadKey("public.pem"));
  const absl::StatusOr<PublicKey> other = PublicKey::Parse(ReadKey("other_public.pem"));
  ASSERT_OK(private_key);
  ASSERT_OK(key);
  ASSERT_OK(other);
  const std::string signature = *private_key->Sign("bytes");
  EXPECT_TRUE(key->Accepts("bytes", signature));
  EXPECT_FALSE(key->Accepts("bytez", signature));
  EXPECT_FALSE(key->Accepts("", signature));
  EXPECT_FALSE(other->Accepts("bytes", signature));
  EXPECT_FALSE(key->Accepts("bytes", signature + '\0'));
  for (size_t i = 0; i < signature.size(); ++i) {
    EXPECT_FALSE(key->Accepts("bytes", signature.substr(0, i))) << i;
    std::string altered = signature;
    altered[i] ^= 1;
    EXPECT_FALSE(key->Accepts("bytes", altered)) << i;
  }
}

TEST(P256KeyTest, OtherKeysAreRefused) {
  EXPECT_THAT(PublicKey::Parse(kP384).status(), Invalid("wants a key on the curve P-256, has one on another curve"));
  EXPECT_THAT(PublicKey::Parse(kRsa).status(), Invalid("wants a key on the curve P-256, has RSA"));
  EXPECT_THAT(PublicKey::Parse(kEd25519).status(), Invalid("wants a key on the curve P-256, has one of another kind"));
  EXPECT_THAT(PrivateKey::Parse(kEncrypted).status(), Invalid("is encrypted"));
}

TEST(P256KeyTest, WhatIsNoKeyIsRefused) {
  EXPECT_THAT(PublicKey::Parse(ReadKey("private.pem")).status(), Invalid("not a public key in PEM"));
  EXPECT_THAT(PrivateKey::Parse(ReadKey("public.pem")).status(), Invalid("not a private key in PEM"));
  EXPECT_THAT(PublicKey::Parse("").status(), Invalid("not a public key in PEM"));
  EXPECT_THAT(PrivateKey::Parse("").status(), Invalid("not a private key in PEM"));
  EXPECT_THAT(PublicKey::Parse(std::string(1 << 15, 'k')).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, "not a key: has 32768 bytes, wants at most 16384"));
  const std::string pem = ReadKey("public.pem");
  std::string der;
  const size_t first = pem.find('\n', pem.find("-----BEGIN")) + 1;
  ASSERT_TRUE(absl::Base64Unescape(pem.substr(first, pem.find("-----END") - first), &der));
  EXPECT_THAT(PublicKey::Parse(der).status(), Invalid("not a public key in PEM, but perhaps one in DER"));
  EXPECT_THAT(PrivateKey::Parse(der).status(), Invalid("not a private key in PEM, but perhaps one in DER"));
  EXPECT_THAT(PublicKey::Parse(pem + std::string(1, '\0') + "more").status(), Invalid("not a public key in PEM"));
  for (size_t size = 0; size < pem.find("-----END PUBLIC KEY-----") + 20; ++size) {
    EXPECT_THAT(PublicKey::Parse(pem.substr(0, size)).status(), Not(IsOk())) << size;
  }
}

}  // namespace
}  // namespace modelport
