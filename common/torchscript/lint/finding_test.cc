#include "common/torchscript/lint/finding.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::HasSubstr;
using testing::Not;

Finding HalfFinding() {
  return {.modules = {"blocks.0", "blocks.1"},
          .line = {"vit.py:12", "x = self.qkv(x.float())"},
          .message = "aten::to is given the dtype float32",
          .cure = "take the dtype of a tensor, x.dtype",
          .rule = "half"};
}

TEST(FormatFindingsTest, AFindingIsAParagraph) {
  Finding attribute = HalfFinding();
  attribute.modules = {""};
  attribute.line = {};
  EXPECT_EQ(FormatFindings({HalfFinding(), attribute}),
            "half, 2 modules: blocks.0, blocks.1\n"
            "  vit.py:12: x = self.qkv(x.float())\n"
            "  aten::to is given the dtype float32\n"
            "  cure: take the dtype of a tensor, x.dtype\n"
            "\n"
            "half, the root module\n"
            "  aten::to is given the dtype float32\n"
            "  cure: take the dtype of a tensor, x.dtype\n"
            "\n");
}

TEST(FormatFindingsTest, TextOfTheFileIsPrintableAndCut) {
  Finding finding = HalfFinding();
  finding.modules = {"a\x1b[2J"};
  finding.line = {"vit\n.py:12", std::string(1000, 'x')};
  finding.message = "attribute \x1b";
  finding.cure = "remove \x1b";
  const std::string text = FormatFindings({finding});
  EXPECT_THAT(text, HasSubstr("half, module a\\x1b[2J\n  vit\\n.py:12: "));
  EXPECT_THAT(text, HasSubstr("xxx... (1000 bytes)\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(CountFindingsTest, CountsThem) {
  EXPECT_EQ(CountFindings({}), "no findings");
  EXPECT_EQ(CountFindings({HalfFinding()}), "1 finding");
  EXPECT_EQ(CountFindings({HalfFinding(), HalfFinding()}), "2 findings");
}

}  // namespace
}  // namespace modelport
