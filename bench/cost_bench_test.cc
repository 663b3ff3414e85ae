#include "bench/cost_bench.h"

#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CompareCostsTest, PrintsEachCaseBesideTheFirst) {
  testing::internal::CaptureStdout();
  EXPECT_OK(CompareCosts({{"copy", "true"}, {"refusal", "false", 1, false}}, {}, 1, 1e6));
  const std::string table = testing::internal::GetCapturedStdout();
  EXPECT_THAT(table,
              AllOf(ContainsRegex("copy .*1.00 x"), ContainsRegex("refusal "), Not(ContainsRegex("refusal.* x"))));
}

TEST(CompareCostsTest, EveryRunStartsWithoutOutputs) {
  const std::string out = absl::StrCat(std::getenv("TEST_TMPDIR"), "/out");
  testing::internal::CaptureStdout();
  EXPECT_OK(CompareCosts({{"new", absl::StrCat("sh -c 'test ! -e ", out, " && touch ", out, "'")}}, {out}, 2, 1));
  testing::internal::GetCapturedStdout();
}

TEST(CompareCostsTest, AnotherExitStatusIsAnError) {
  EXPECT_THAT(CompareCosts({{"copy", "false"}}, {}, 1, 1),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("copy ended with status 1: false")));
}

}  // namespace
}  // namespace modelport
