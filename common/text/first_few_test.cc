#include "common/text/first_few.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(FirstFewTest, ShowsFiveAndCountsTheOthers) {
  EXPECT_EQ(FirstFew({}), "");
  EXPECT_EQ(FirstFew({"a", "b", "c", "d", "e"}), "a, b, c, d, e");
  EXPECT_EQ(FirstFew({"a", "b", "c", "d", "e", "f", "g"}), "a, b, c, d, e, +2 more");
}

TEST(FirstFewTest, NamesArePrintableAndInBrief) {
  EXPECT_EQ(FirstFew({std::string(1000, 'a'), "b\x1b"}),
            absl::StrCat(std::string(200, 'a'), "... (1000 bytes), b\\x1b"));
}

TEST(FirstFewLinesTest, ShowsFiveIndentedLinesAndCountsTheOthers) {
  EXPECT_EQ(FirstFewLines({}, "  "), "");
  EXPECT_EQ(FirstFewLines({"a", "b"}, "  "), "\n  a\n  b");
  EXPECT_EQ(FirstFewLines({"a", "b", "c", "d", "e", "f"}, " "), "\n a\n b\n c\n d\n e\n +1 more");
}

TEST(FirstFewLinesTest, MakesOnlyTheLinesThatAreShown) {
  std::vector<size_t> made;
  const auto line = [&](size_t i) {
    made.push_back(i);
    return absl::StrCat("missing: ", i);
  };
  EXPECT_EQ(FirstFewLines(300'000, "", line, "missing"),
            "\nmissing: 0\nmissing: 1\nmissing: 2\nmissing: 3\nmissing: 4\n+299995 more missing");
  EXPECT_EQ(made, std::vector<size_t>({0, 1, 2, 3, 4}));
}

TEST(DescribeModulesTest, NamesOneAndCountsSeveral) {
  EXPECT_EQ(DescribeModules({""}), "the root module");
  EXPECT_EQ(DescribeModules({"head"}), "module head");
  EXPECT_EQ(DescribeModules({"", "a", "b", "c", "d", "e"}), "6 modules: the root, a, b, c, d, +1 more");
}

}  // namespace
}  // namespace modelport
