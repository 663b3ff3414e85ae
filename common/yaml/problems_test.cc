#include "common/yaml/problems.h"

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(YamlProblemsTest, NoneIsOk) { EXPECT_OK(YamlProblems("a.yaml").status()); }

TEST(YamlProblemsTest, OneStandsAlone) {
  YamlProblems problems("a.yaml");
  problems.Add({"a.yaml", 3, 5}, "wrong");
  EXPECT_THAT(problems.status(), StatusIs(kInvalid, "a.yaml:3:5: wrong"));
}

TEST(YamlProblemsTest, TextThatAMessageQuotesIsPrintable) {
  YamlProblems problems("a.yaml");
  problems.Add({"a.yaml", 3, 5}, "unknown field \"\x1b[2J\"\n  remove it");
  EXPECT_THAT(problems.status(), StatusIs(kInvalid, "a.yaml:3:5: unknown field \"\\x1b[2J\"\n  remove it"));
}

TEST(YamlProblemsTest, ShowsTheFirstHundred) {
  YamlProblems problems("a.yaml");
  for (int i = 1; i <= 100000; ++i) {
    EXPECT_EQ(problems.enough(), i > 100);
    problems.Add({"a.yaml", i, 1}, "wrong");
  }
  EXPECT_EQ(problems.size(), 100000);
  EXPECT_THAT(problems.status(),
              StatusIs(kInvalid, testing::AllOf(testing::StartsWith("a.yaml: more than 100 problems\n"),
                                                testing::EndsWith("\n  a.yaml:100:1: wrong"))));
}

TEST(YamlProblemsTest, SeveralFollowASummaryInFileOrder) {
  YamlProblems problems("a.yaml");
  problems.Add({"a.yaml", 10, 1}, "last");
  problems.Add({"a.yaml", 9, 7}, "second\nwith a detail");
  problems.Add({}, "first, without a place");
  EXPECT_THAT(problems.status(), StatusIs(kInvalid, R"(a.yaml: 3 problems
  first, without a place
  a.yaml:9:7: second
  with a detail
  a.yaml:10:1: last)"));
}

TEST(JoinStatusesTest, OkAndOneFailureStandAlone) {
  EXPECT_OK(JoinStatuses("plugins", {absl::OkStatus(), absl::OkStatus()}));
  EXPECT_THAT(JoinStatuses("plugins", {absl::OkStatus(), absl::InvalidArgumentError("a.yaml:1:1: wrong")}),
              StatusIs(kInvalid, "a.yaml:1:1: wrong"));
}

TEST(JoinStatusesTest, MessagesOfSeveralLinesAreIndented) {
  EXPECT_THAT(JoinStatuses("plugins", {absl::InvalidArgumentError("a.yaml: 2 problems\n  a.yaml:1:1: x"),
                                       absl::InvalidArgumentError("b.yaml:1:1: y")}),
              StatusIs(kInvalid, R"(plugins: 2 failures
  a.yaml: 2 problems
    a.yaml:1:1: x
  b.yaml:1:1: y)"));
}

}  // namespace
}  // namespace modelport
