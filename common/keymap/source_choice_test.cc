#include "common/keymap/source_choice.h"

#include "absl/types/optional.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(ParseSourceChoiceTest, NamesTheLayoutAndThePathOfADictionary) {
  const SourceChoice choice = ParseSourceChoice("timm", "a.b");
  EXPECT_EQ(choice.layout, "timm");
  EXPECT_EQ(choice.state_dict, "a.b");
}

TEST(ParseSourceChoiceTest, ADotIsTheRootAndNothingLeavesTheChoiceOpen) {
  EXPECT_EQ(ParseSourceChoice("auto", ".").state_dict, "");
  EXPECT_EQ(ParseSourceChoice("auto", "").state_dict, absl::nullopt);
}

}  // namespace
}  // namespace modelport
