// docs/security.md names a test for each of its claims, and no test that does not exist.
#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/tool_process.h"

namespace modelport {
namespace {

using testing::Contains;
using testing::Gt;
using testing::SizeIs;

// The labels of targets in `text`, such as "//common/io:mapped_file_test".
std::vector<std::string> Labels(const std::string& text) {
  static const std::regex label("//[a-z0-9_/]+:[a-z0-9_]+");
  return {std::sregex_token_iterator(text.begin(), text.end(), label), std::sregex_token_iterator()};
}

std::vector<std::string> Lines() { return absl::StrSplit(ReadFile(DataPath("docs/security.md")), '\n'); }

TEST(SecurityPageTest, NamesTestsThatExist) {
  const std::set<std::string> tests =
      absl::StrSplit(ReadFile(DataPath("tests/security_page_labels")), '\n', absl::SkipEmpty());
  for (const std::string& line : Lines()) {
    for (const std::string& label : Labels(line)) {
      if (label == "//tests:security_tests") continue;
      EXPECT_THAT(tests, Contains(label)) << line;
    }
  }
}

TEST(SecurityPageTest, HasATestForEachClaim) {
  const std::vector<std::string> lines = Lines();
  const auto head = std::find(lines.begin(), lines.end(), "| claim | tests |");
  ASSERT_NE(head, lines.end());
  std::vector<std::string> claims;
  for (auto line = head + 2; line != lines.end() && absl::StartsWith(*line, "|"); ++line) claims.push_back(*line);
  EXPECT_THAT(claims, SizeIs(Gt(10)));
  for (const std::string& claim : claims) EXPECT_THAT(Labels(claim), SizeIs(Gt(0))) << claim;
}

TEST(LabelsTest, AreFoundInText) {
  EXPECT_THAT(Labels("a `//a/b_c:d_test`, `//e:f`; not https://g.org/h or tests/i.cc"),
              testing::ElementsAre("//a/b_c:d_test", "//e:f"));
}

}  // namespace
}  // namespace modelport
