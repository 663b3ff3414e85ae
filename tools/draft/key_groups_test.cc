#include "tools/draft/key_groups.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(KeyGroupsTest, LayersAreOneGroup) {
  const Shape one = {1}, two = {2, 2};
  const std::vector<KeyGroup> groups =
      GroupKeys({{"cls", &one}, {"b.0.w", &two}, {"b.0.c.3", &one}, {"b.1.w", &one}, {"b.1.c.3", &one}});
  ASSERT_EQ(groups.size(), 3);
  EXPECT_EQ(groups[0].pattern, "cls");
  EXPECT_THAT(groups[0].members, ElementsAre(Pair(ElementsAre(), one)));
  EXPECT_EQ(groups[1].pattern, "b.{i}.w");
  EXPECT_THAT(groups[1].members, ElementsAre(Pair(ElementsAre(0), two), Pair(ElementsAre(1), one)));
  EXPECT_EQ(groups[2].pattern, "b.{i}.c.{j}");
  EXPECT_THAT(groups[2].members, ElementsAre(Pair(ElementsAre(0, 3), one), Pair(ElementsAre(1, 3), one)));
}

TEST(KeyGroupsTest, NamesThatNoPatternCanHaveAreLeftOut) {
  const Shape one = {1};
  EXPECT_TRUE(GroupKeys({{"a..b", &one}, {"", &one}, {"a.{i}", &one}, {"a b", &one}, {"caf\xc3\xa9", &one}}).empty());
}

TEST(KeyGroupsTest, NumbersThatAreNoIndicesStay) {
  const Shape one = {1};
  const std::vector<KeyGroup> groups = GroupKeys({{"a.007.1234567890.c1", &one}, {"1.2.3.4.5.6.7", &one}});
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[0].pattern, "a.007.1234567890.c1");
  EXPECT_EQ(groups[1].pattern, "{i}.{j}.{k}.{l}.{m}.{n}.7");
}

}  // namespace
}  // namespace modelport
