#include "common/text/dotted_path.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(JoinPathTest, PutsADotBetweenParentAndName) {
  EXPECT_EQ(JoinPath("blocks", "0"), "blocks.0");
  EXPECT_EQ(JoinPath("a.b", "c"), "a.b.c");
}

TEST(JoinPathTest, TheRootHasNoName) { EXPECT_EQ(JoinPath("", "blocks"), "blocks"); }

TEST(IsWithinTest, APathLiesWithinItselfAndWhatIsAboveIt) {
  for (const char* parent : {"", "blocks", "blocks.1", "blocks.1.norm"}) EXPECT_TRUE(IsWithin("blocks.1.norm", parent));
  for (const char* other : {"block", "blocks.10", "blocks.1.norm1", "norm"}) {
    EXPECT_FALSE(IsWithin("blocks.1.norm", other)) << other;
  }
  EXPECT_FALSE(IsWithin("", "blocks"));
}

TEST(PathBelowTest, IsTheRest) {
  EXPECT_EQ(PathBelow("blocks.1.norm", "blocks.1"), "norm");
  EXPECT_EQ(PathBelow("blocks.1.norm", ""), "blocks.1.norm");
  EXPECT_EQ(PathBelow("blocks.1", "blocks.1"), "");
}

}  // namespace
}  // namespace modelport
