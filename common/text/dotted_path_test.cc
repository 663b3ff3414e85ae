#include "common/text/dotted_path.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(JoinPathTest, PutsADotBetweenParentAndName) {
  EXPECT_EQ(JoinPath("blocks", "0"), "blocks.0");
  EXPECT_EQ(JoinPath("a.b", "c"), "a.b.c");
}

TEST(JoinPathTest, TheRootHasNoName) { EXPECT_EQ(JoinPath("", "blocks"), "blocks"); }

}  // namespace
}  // namespace modelport
