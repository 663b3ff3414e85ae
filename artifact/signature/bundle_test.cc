#include "artifact/signature/bundle.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

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

struct Defect {
  std::string name, from, to, error;

  friend void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }
};

class DefectTest : public testing::TestWithParam<Defect> {};

INSTANTIATE_TEST_SUITE_P(
    Bundles, DefectTest,
    testing::Values(
        Defect{"OtherVersion", "v0.3", "v0.2", "mediaType: wants application/vnd.dev.sigstore.bundle.v0.3+json, has"},
        Defect{"ByCertificate", R"("publicKey":{"hint":"id"})", R"("certificate":{"rawBytes":""})",
               "verificationMaterial/publicKey/hint: wants a text, has nothing"},
        Defect{"NoKeyId", R"({"hint":"id"})", "{}", "verificationMaterial/publicKey/hint: wants a text, has nothing"},
        Defect{"OtherPayload", "application/vnd.in-toto+json", "text/plain",
               "dsseEnvelope/payloadType: wants application/vnd.in-toto+json, has text/plain"},
        Defect{"MessageSignature", "dsseEnvelope", "messageSignature",
               "dsseEnvelope/payloadType: wants a text, has nothing"},
        Defect{"TwoSignatures", R"("signatures":[)", R"("signatures":[{"sig":""},)",
               "dsseEnvelope/signatures: wants one item, has 2"},
        Defect{"NoSignature", R"({"sig":"MAD/","keyid":""})", "", "dsseEnvelope/signatures: wants one item, has 0"},
        Defect{"SignatureWithSpaces", "MAD/", "MA D/", "dsseEnvelope/signatures/0/sig: is not base64"},
        Defect{"PayloadWithoutPadding", "MX0=", "MX0", "dsseEnvelope/payload: is not base64"},
        Defect{"PayloadWithOtherBitsInPadding", "MX0=", "MX1=", "dsseEnvelope/payload: is not base64"}),
    [](const auto& info) { return info.param.name; });

TEST_P(DefectTest, IsNamed) {
  const std::string text = WriteBundle(kBundle);
  const std::string altered = absl::StrReplaceAll(text, {{GetParam().from, GetParam().to}});
  ASSERT_NE(altered, text);
  EXPECT_THAT(ParseBundle(altered), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(GetParam().error)));
}

}  // namespace
}  // namespace modelport
