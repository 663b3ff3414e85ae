#include "common/checkpoint/pickle/budget.h"

#include <limits>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;

TEST(BudgetTest, IsSpentOnce) {
  Budget budget(2'000'000);
  EXPECT_OK(budget.Spend(100'000'000));
  EXPECT_OK(budget.Spend(30'000'000));
  EXPECT_OK(budget.Spend(0));
  EXPECT_THAT(budget.Spend(1), StatusIs(absl::StatusCode::kInvalidArgument,
                                        HasSubstr("more than 130 MB of names, shapes and values, too much for a file "
                                                  "of 2.00 MB: not a checkpoint")));
}

TEST(BudgetTest, HugeAmountsExceedIt) {
  Budget budget(0);
  EXPECT_OK(budget.Spend(1));
  EXPECT_THAT(budget.Spend(std::numeric_limits<size_t>::max()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not a checkpoint")));
}

}  // namespace
}  // namespace modelport
