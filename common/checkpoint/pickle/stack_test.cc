#include "common/checkpoint/pickle/stack.h"

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport::pickle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kTooFew = absl::StatusCode::kDataLoss;

class StackTest : public testing::Test {
 protected:
  Value a_, b_, c_;
  Stack stack_;
};

TEST_F(StackTest, ValuesArePoppedInReverseOrder) {
  stack_.Push(&a_);
  stack_.Push(&b_);
  EXPECT_EQ(*stack_.Top(), &b_);
  EXPECT_EQ(*stack_.Pop(), &b_);
  EXPECT_EQ(*stack_.Pop(), &a_);
  EXPECT_THAT(stack_.Pop(), StatusIs(kTooFew, HasSubstr("on the stack")));
  EXPECT_THAT(stack_.Top(), StatusIs(kTooFew, HasSubstr("on the stack")));
}

TEST_F(StackTest, ItemsAreReturnedLowestFirst) {
  stack_.Push(&a_);
  stack_.Push(&b_);
  stack_.Push(&c_);
  EXPECT_THAT(*stack_.PopItems(2), ElementsAre(&b_, &c_));
  EXPECT_THAT(stack_.PopItems(2), StatusIs(kTooFew, HasSubstr("on the stack")));
  EXPECT_EQ(stack_.depth(), 1);
}

TEST_F(StackTest, ValuesBelowTheLastMarkAreOutOfReach) {
  stack_.Push(&a_);
  stack_.PushMark();
  EXPECT_EQ(stack_.depth(), 2);
  EXPECT_THAT(stack_.Pop(), StatusIs(kTooFew, HasSubstr("on the stack")));
  EXPECT_THAT(stack_.PopItems(1), StatusIs(kTooFew, HasSubstr("on the stack")));
  stack_.Push(&b_);
  EXPECT_THAT(*stack_.PopToMark(), ElementsAre(&b_));
  EXPECT_EQ(*stack_.Pop(), &a_);
  EXPECT_THAT(stack_.PopToMark(), StatusIs(kTooFew, HasSubstr("on the stack")));
}

TEST_F(StackTest, MarksNest) {
  stack_.PushMark();
  stack_.Push(&a_);
  stack_.PushMark();
  EXPECT_THAT(*stack_.PopToMark(), IsEmpty());
  EXPECT_THAT(*stack_.PopToMark(), ElementsAre(&a_));
}

TEST_F(StackTest, DiscardDropsAValueOrAMark) {
  stack_.PushMark();
  stack_.Push(&a_);
  EXPECT_OK(stack_.Discard());
  EXPECT_OK(stack_.Discard());
  EXPECT_EQ(stack_.depth(), 0);
  EXPECT_THAT(stack_.Discard(), StatusIs(kTooFew, HasSubstr("on the stack")));
}

}  // namespace
}  // namespace modelport::pickle
