#include "gtest/gtest.h"
#include "tools/new_plugin/layer_call.h"

namespace modelport {
namespace {

SizedText Linear(int64_t inputs, int64_t outputs) {
  return SizedText().Add("Linear(").AddSize("inputs", inputs).Add(", ").AddSize("outputs", outputs).Add(")");
}

TEST(SizedTextTest, TextsThatDifferInSizesHaveOneText) {
  EXPECT_EQ(Linear(2, 3).text, Linear(40, 5).text);
  EXPECT_EQ(Linear(2, 3), Linear(2, 3));
  EXPECT_NE(Linear(2, 3), Linear(40, 5));
}

TEST(SizedTextTest, FillsTheSizesInOrder) {
  const SizedText two = Linear(2, 3).Add(" ").Add(Linear(3, 4));
  EXPECT_EQ(two.Filled({"a", "3", "3", "b"}), "Linear(a, 3) Linear(3, b)");
  ASSERT_EQ(two.sizes.size(), 4);
  EXPECT_EQ(two.sizes[3].name, "outputs");
  EXPECT_EQ(two.sizes[3].value, 4);
}

}  // namespace
}  // namespace modelport
