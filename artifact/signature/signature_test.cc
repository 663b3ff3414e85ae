#include "artifact/signature/signature.h"

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "artifact/signature/bundle.h"
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

}  // namespace
}  // namespace modelport
