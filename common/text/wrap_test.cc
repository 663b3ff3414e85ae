#include "common/text/table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::ElementsAre;

TEST(WrapTest, BreaksAtSpaces) {
  EXPECT_THAT(Wrap("", 8), ElementsAre(""));
  EXPECT_THAT(Wrap("one line", 8), ElementsAre("one line"));
  EXPECT_THAT(Wrap("one line more", 8), ElementsAre("one line", "more"));
  EXPECT_THAT(Wrap("a  b", 8), ElementsAre("a  b"));
}

TEST(WrapTest, ALongerWordIsALineOfItsOwn) {
  EXPECT_THAT(Wrap("a /home/user/model.pt b", 8), ElementsAre("a", "/home/user/model.pt", "b"));
}

TEST(WrapTest, CountsCharactersAndNotBytes) {
  EXPECT_THAT(Wrap("\u00e4\u00e4\u00e4\u00e4 \u00e4\u00e4\u00e4", 8),
              ElementsAre("\u00e4\u00e4\u00e4\u00e4 \u00e4\u00e4\u00e4"));
}

TEST(WrapTest, ACallOfAToolIsNotBroken) {
  EXPECT_THAT(Wrap("see bazel run //tools:list -- --x to the end", 12),
              ElementsAre("see", "bazel run //tools:list -- --x", "to the end"));
}

}  // namespace
}  // namespace modelport
