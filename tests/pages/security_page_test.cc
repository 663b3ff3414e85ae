// docs/security.md names a test for each of its claims, it and other pages name one for each limit, and all of these
// tests exist. Of a joined_test() they name the file, too: `//a:a_test` (`b_test.cc`).
#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/tool_process.h"

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

// The labels of the sources in `text`, each of which stands in brackets after its test: "//a:b_test.cc".
std::vector<std::string> Sources(const std::string& text) {
  static const std::regex source("(//[a-z0-9_/]+:)[a-z0-9_]+` \\(`([a-z0-9_]+\\.cc)`");
  std::vector<std::string> labels;
  for (std::sregex_iterator found(text.begin(), text.end(), source), end; found != end; ++found) {
    labels.push_back((*found)[1].str() + (*found)[2].str());
  }
  return labels;
}

std::vector<std::string> Lines(const std::string& page) { return absl::StrSplit(ReadFile(DataPath(page)), '\n'); }

// The rows of the table with the head `head`.
std::vector<std::string> Rows(const std::string& page, const std::string& head) {
  const std::vector<std::string> lines = Lines(page);
  const auto found = std::find(lines.begin(), lines.end(), head);
  std::vector<std::string> rows;
  if (found == lines.end()) return rows;
  for (auto line = found + 2; line != lines.end() && absl::StartsWith(*line, "|"); ++line) rows.push_back(*line);
  return rows;
}

constexpr char kLimits[] = "| what | at most | test |";

void ExpectTestsExist(const std::vector<std::string>& lines) {
  const std::set<std::string> tests =
      absl::StrSplit(ReadFile(DataPath("tests/house/security_page_labels")), '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    for (const std::string& label : Labels(line)) {
      if (label == "//tests/house:security_tests") continue;
      EXPECT_THAT(tests, Contains(label)) << line;
    }
    for (const std::string& source : Sources(line)) EXPECT_THAT(tests, Contains(source)) << line;
  }
}

TEST(SecurityPageTest, NamesTestsThatExist) { ExpectTestsExist(Lines("docs/security.md")); }

TEST(SecurityPageTest, HasATestForEachClaim) {
  const std::vector<std::string> claims = Rows("docs/security.md", "| claim | tests |");
  EXPECT_THAT(claims, SizeIs(Gt(10)));
  for (const std::string& claim : claims) EXPECT_THAT(Labels(claim), SizeIs(Gt(0))) << claim;
}

TEST(LimitsTest, EachHasATestThatExists) {
  for (const char* page : {"docs/parity.md", "docs/plugins.md", "docs/security.md"}) {
    const std::vector<std::string> limits = Rows(page, kLimits);
    EXPECT_THAT(limits, SizeIs(Gt(2))) << page;
    for (const std::string& limit : limits) EXPECT_THAT(Labels(limit), SizeIs(Gt(0))) << limit;
    ExpectTestsExist(limits);
  }
}

TEST(LabelsTest, AreFoundInText) {
  EXPECT_THAT(Labels("a `//a/b_c:d_test`, `//e:f`; not https://g.org/h or tests/i.cc"),
              testing::ElementsAre("//a/b_c:d_test", "//e:f"));
}

TEST(SourcesTest, AreFoundBehindTheirTest) {
  EXPECT_THAT(Sources("`//a/b:b_test` (`c_test.cc`), `//d:e_test`, `//d:d_test` (`f_test.cc`); not g.cc or (`h.cc`)"),
              testing::ElementsAre("//a/b:c_test.cc", "//d:f_test.cc"));
}

}  // namespace
}  // namespace modelport
