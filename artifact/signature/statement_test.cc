#include "artifact/signature/statement.h"

#include <string>
#include <vector>

#include "absl/strings/str_replace.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;

const std::vector<SignedFile> kFiles = {
    {"a.manifest.json", "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c"},
    {"a.pt", "7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730"}};

// printf '%s%s' b5bb...944c 7d86...7730 | xxd -r -p | sha256sum
constexpr char kRoot[] = "fc87504c81f99f46407174938c24d0d0b6c65179565a2ac0fd6bd12c2016cbe8";

TEST(StatementTest, IsReadAsItWasWritten) {
  const absl::StatusOr<std::vector<SignedFile>> read = ParseStatement(WriteStatement("a", kFiles));
  ASSERT_OK(read);
  EXPECT_EQ(*read, kFiles);
}

TEST(StatementTest, HasTheDigestOfTheDigests) { EXPECT_THAT(WriteStatement("a", kFiles), HasSubstr(kRoot)); }

TEST(StatementTest, FieldsThatThePredicateLeavesOpenAreIgnored) {
  const std::string text = absl::StrReplaceAll(WriteStatement("a", kFiles),
                                               {{R"("resources": [)", R"("model_card": {"a": 1}, "resources": [)"},
                                                {R"("allow_symlinks": false)", R"("ignore_paths": ["a.sig"])"}});
  EXPECT_OK(ParseStatement(text));
}

struct Defect {
  std::string name, from, to, error;
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;

  friend void PrintTo(const Defect& defect, std::ostream* out) { *out << defect.name; }
};

class DefectTest : public testing::TestWithParam<Defect> {};

INSTANTIATE_TEST_SUITE_P(
    Statements, DefectTest,
    testing::Values(
        Defect{"OtherStatement", "Statement/v1", "Statement/v0.1", "_type: wants https://in-toto.io/Statement/v1, has"},
        Defect{"OtherPredicate", "signature/v1.0", "Digests/v0.1", "predicateType: wants"},
        Defect{"Shards", R"("files")", R"("shards")", "predicate/serialization/method: wants files, has shards"},
        Defect{"OtherHash", R"("hash_type": "sha256")", R"("hash_type": "blake2")",
               "predicate/serialization/hash_type: wants sha256, has blake2"},
        Defect{"OtherAlgorithm", R"("algorithm": "sha256")", R"("algorithm": "blake3")",
               "predicate/resources/0: algorithm: wants sha256, has blake3"},
        Defect{"DigestInUpperCase", "7d865e", "7D865E",
               "predicate/resources/1: digest: wants 64 lower-case hex digits"},
        Defect{"ShortDigest", "7d865e", "865e", "predicate/resources/1: digest: wants 64 lower-case hex digits"},
        Defect{"NoSubject", "subject", "subjects", "subject: wants a list, has nothing"},
        Defect{"NoFiles", "resources", "files", "predicate/resources: wants a list, has nothing"},
        Defect{"OtherDigest", "7d865e", "8d865e", "subject/0/digest/sha256: is not the digest of predicate/resources",
               absl::StatusCode::kDataLoss}),
    [](const auto& info) { return info.param.name; });

TEST_P(DefectTest, IsNamed) {
  const std::string text = WriteStatement("a", kFiles);
  const std::string altered = absl::StrReplaceAll(text, {{GetParam().from, GetParam().to}});
  ASSERT_NE(altered, text);
  EXPECT_THAT(ParseStatement(altered), StatusIs(GetParam().code, HasSubstr(GetParam().error)));
}

}  // namespace
}  // namespace modelport
