#include "artifact/signature/signature.h"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string ReadData(const std::string& name) {
  std::ifstream file("tests/signatures/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

PublicKey Key(const std::string& name = "public.pem") { return *PublicKey::Parse(ReadData(name)); }
PrivateKey SigningKey() { return *PrivateKey::Parse(ReadData("private.pem")); }

// sha256sum tests/signatures/signed/m.*
const std::vector<SignedFile> kFiles = {
    {"m.manifest.json", "382cd86a84b17f301093fa2b1a1d79d39d582ff3eb6231d117388fe4be9a35a9"},
    {"m.pt", "78b9faa16bad4c18b9bab0c66765126e4f81cf5cd400749e0a6365f536e84798"}};

std::string Signature() { return *SignFiles("m", kFiles, SigningKey()); }

TEST(SignatureTest, IsOfTheseFiles) {
  const absl::StatusOr<std::vector<SignedFile>> files = OpenSignature(Signature(), Key());
  ASSERT_OK(files);
  EXPECT_EQ(*files, kFiles);
}

TEST(SignatureTest, OneOfModelSigningIsAccepted) {
  const absl::StatusOr<std::vector<SignedFile>> files = OpenSignature(ReadData("signed/m.sig"), Key());
  ASSERT_OK(files);
  EXPECT_EQ(*files, kFiles);
}

TEST(SignatureTest, EqualFilesGiveEqualBytes) { EXPECT_EQ(Signature(), Signature()); }

TEST(SignatureTest, AnotherKeyIsNamed) {
  EXPECT_THAT(OpenSignature(Signature(), Key("other_public.pem")).status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       StartsWith(absl::StrCat("is by another key: wants sha256:", Key("other_public.pem").id(),
                                               ", has sha256:", Key().id()))));
}

TEST(SignatureTest, AnotherStatementIsRefused) {
  absl::StatusOr<Bundle> bundle = ParseBundle(Signature());
  ASSERT_OK(bundle);
  bundle->payload = WriteStatement("m", {{"m.pt", kFiles[0].sha256}});
  EXPECT_THAT(OpenSignature(WriteBundle(*bundle), Key()).status(),
              StatusIs(absl::StatusCode::kDataLoss, StartsWith("was altered: the key sha256:")));
}

TEST(SignatureTest, AnotherKeyUnderThisNameIsRefused) {
  absl::StatusOr<Bundle> bundle = ParseBundle(Signature());
  ASSERT_OK(bundle);
  bundle->key_id = Key("other_public.pem").id();
  EXPECT_THAT(OpenSignature(WriteBundle(*bundle), Key("other_public.pem")).status(),
              StatusIs(absl::StatusCode::kDataLoss, StartsWith("was altered: the key sha256:")));
}

TEST(SignatureTest, IsCutAnywhere) {
  const std::string text = Signature();
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_THAT(OpenSignature(text.substr(0, size), Key()).status(),
                StatusIs(absl::StatusCode::kDataLoss, HasSubstr("is truncated")))
        << size;
  }
}

// An altered byte is an error, but where nobody reads it: in the names of the fields `tlogEntries` and `keyid`.
TEST(SignatureTest, NoAlteredByteGivesOtherFiles) {
  const std::string text = Signature();
  const PublicKey key = Key();
  size_t accepted = 0;
  for (size_t i = 0; i < text.size(); i += 3) {
    std::string altered = text;
    altered[i] = static_cast<char>(altered[i] ^ (1 << (i % 8)));
    const absl::StatusOr<std::vector<SignedFile>> files = OpenSignature(altered, key);
    if (!files.ok()) continue;
    ++accepted;
    EXPECT_EQ(*files, kFiles) << i;
  }
  EXPECT_LE(accepted, absl::StrCat("tlogEntries", "keyid").size());
}

TEST(SignatureTest, NamesMustBePrintable) {
  for (const char* name : {"m\xff.pt", "m\n.pt"}) {
    EXPECT_THAT(SignFiles("m", {{name, kFiles[0].sha256}}, SigningKey()).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a signature cannot hold this name")));
  }
  EXPECT_THAT(SignFiles("m", {{"mé.pt", kFiles[0].sha256}}, SigningKey()).status(), IsOk());
}

const Bundle kBundle = {.key_id = "id", .payload = "{\"a\": 1}", .signature = std::string("\x30\x00\xff", 3)};

TEST(BundleTest, IsReadAsItWasWritten) {
  const absl::StatusOr<Bundle> read = ParseBundle(WriteBundle(kBundle));
  ASSERT_OK(read);
  EXPECT_EQ(read->key_id, kBundle.key_id);
  EXPECT_EQ(read->payload, kBundle.payload);
  EXPECT_EQ(read->signature, kBundle.signature);
}

TEST(BundleTest, HasTheFieldsOfSigstore) {
  EXPECT_EQ(WriteBundle(kBundle),
            R"({"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json",)"
            R"("verificationMaterial":{"publicKey":{"hint":"id"},"tlogEntries":[]},)"
            R"("dsseEnvelope":{"payload":"eyJhIjogMX0=","payloadType":"application/vnd.in-toto+json",)"
            R"("signatures":[{"sig":"MAD/","keyid":""}]}})");
}

// The encoding of the DSSE protocol, v1.0.0.
TEST(BundleTest, TypeAndSizesAreSignedWithThePayload) {
  EXPECT_EQ(SignedBytes("{\"a\": 1}"), "DSSEv1 28 application/vnd.in-toto+json 8 {\"a\": 1}");
  EXPECT_EQ(SignedBytes(""), "DSSEv1 28 application/vnd.in-toto+json 0 ");
}

struct BundleDefect {
  std::string name, from, to, error;

  friend void PrintTo(const BundleDefect& defect, std::ostream* out) { *out << defect.name; }
};

class BundleDefectTest : public testing::TestWithParam<BundleDefect> {};

INSTANTIATE_TEST_SUITE_P(
    Bundles, BundleDefectTest,
    testing::Values(
        BundleDefect{"OtherVersion", "v0.3", "v0.2",
                     "mediaType: wants application/vnd.dev.sigstore.bundle.v0.3+json, has"},
        BundleDefect{"ByCertificate", R"("publicKey":{"hint":"id"})", R"("certificate":{"rawBytes":""})",
                     "verificationMaterial/publicKey/hint: wants a text, has nothing"},
        BundleDefect{"NoKeyId", R"({"hint":"id"})", "{}",
                     "verificationMaterial/publicKey/hint: wants a text, has nothing"},
        BundleDefect{"OtherPayload", "application/vnd.in-toto+json", "text/plain",
                     "dsseEnvelope/payloadType: wants application/vnd.in-toto+json, has text/plain"},
        BundleDefect{"MessageSignature", "dsseEnvelope", "messageSignature",
                     "dsseEnvelope/payloadType: wants a text, has nothing"},
        BundleDefect{"TwoSignatures", R"("signatures":[)", R"("signatures":[{"sig":""},)",
                     "dsseEnvelope/signatures: wants one item, has 2"},
        BundleDefect{"NoSignature", R"({"sig":"MAD/","keyid":""})", "",
                     "dsseEnvelope/signatures: wants one item, has 0"},
        BundleDefect{"SignatureWithSpaces", "MAD/", "MA D/", "dsseEnvelope/signatures/0/sig: is not base64"},
        BundleDefect{"PayloadWithoutPadding", "MX0=", "MX0", "dsseEnvelope/payload: is not base64"},
        BundleDefect{"PayloadWithOtherBitsInPadding", "MX0=", "MX1=", "dsseEnvelope/payload: is not base64"}),
    [](const auto& info) { return info.param.name; });

TEST_P(BundleDefectTest, IsNamed) {
  const std::string text = WriteBundle(kBundle);
  const std::string altered = absl::StrReplaceAll(text, {{GetParam().from, GetParam().to}});
  ASSERT_NE(altered, text);
  EXPECT_THAT(ParseBundle(altered), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(GetParam().error)));
}

const std::vector<SignedFile> kListed = {
    {"a.manifest.json", "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"},
    {"a.pt", "7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730"}};

// printf '%s%s' b5bb...944c 7d86...7730 | xxd -r -p | sha256sum
constexpr char kRoot[] = "fc87504c81f99f46407174938c24d0d0b6c65179565a2ac0fd6bd12c2016cbe8";

TEST(StatementTest, IsReadAsItWasWritten) {
  const absl::StatusOr<std::vector<SignedFile>> read = ParseStatement(WriteStatement("a", kListed));
  ASSERT_OK(read);
  EXPECT_EQ(*read, kListed);
}

TEST(StatementTest, HasTheDigestOfTheDigests) { EXPECT_THAT(WriteStatement("a", kListed), HasSubstr(kRoot)); }

TEST(StatementTest, FieldsThatThePredicateLeavesOpenAreIgnored) {
  const std::string text = absl::StrReplaceAll(WriteStatement("a", kListed),
                                               {{R"("resources": [)", R"("model_card": {"a": 1}, "resources": [)"},
                                                {R"("allow_symlinks": false)", R"("ignore_paths": ["a.sig"])"}});
  EXPECT_OK(ParseStatement(text));
}

struct StatementDefect {
  std::string name, from, to, error;
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;

  friend void PrintTo(const StatementDefect& defect, std::ostream* out) { *out << defect.name; }
};

class StatementDefectTest : public testing::TestWithParam<StatementDefect> {};

INSTANTIATE_TEST_SUITE_P(
    Statements, StatementDefectTest,
    testing::Values(StatementDefect{"OtherStatement", "Statement/v1", "Statement/v0.1",
                                    "_type: wants https://in-toto.io/Statement/v1, has"},
                    StatementDefect{"OtherPredicate", "signature/v1.0", "Digests/v0.1", "predicateType: wants"},
                    StatementDefect{"Shards", R"("files")", R"("shards")",
                                    "predicate/serialization/method: wants files, has shards"},
                    StatementDefect{"OtherHash", R"("hash_type": "sha256")", R"("hash_type": "blake2")",
                                    "predicate/serialization/hash_type: wants sha256, has blake2"},
                    StatementDefect{"OtherAlgorithm", R"("algorithm": "sha256")", R"("algorithm": "blake3")",
                                    "predicate/resources/0: algorithm: wants sha256, has blake3"},
                    StatementDefect{"DigestInUpperCase", "7d865e", "7D865E",
                                    "predicate/resources/1: digest: wants 64 lower-case hex digits"},
                    StatementDefect{"ShortDigest", "7d865e", "865e",
                                    "predicate/resources/1: digest: wants 64 lower-case hex digits"},
                    StatementDefect{"NoSubject", "subject", "subjects", "subject: wants a list, has nothing"},
                    StatementDefect{"NoFiles", "resources", "files", "predicate/resources: wants a list, has nothing"},
                    StatementDefect{"OtherDigest", "7d865e", "8d865e",
                                    "subject/0/digest/sha256: is not the digest of predicate/resources",
                                    absl::StatusCode::kDataLoss}),
    [](const auto& info) { return info.param.name; });

TEST_P(StatementDefectTest, IsNamed) {
  const std::string text = WriteStatement("a", kListed);
  const std::string altered = absl::StrReplaceAll(text, {{GetParam().from, GetParam().to}});
  ASSERT_NE(altered, text);
  EXPECT_THAT(ParseStatement(altered), StatusIs(GetParam().code, HasSubstr(GetParam().error)));
}

}  // namespace

}  // namespace modelport
