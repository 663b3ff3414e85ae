#include "common/text/units.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(UnitsTest, BytesHaveThreeDigits) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(999), "999 B");
  EXPECT_EQ(FormatBytes(1000), "1.00 kB");
  EXPECT_EQ(FormatBytes(99324453), "99.3 MB");
  EXPECT_EQ(FormatBytes(999499999), "999 MB");
  EXPECT_EQ(FormatBytes(999500000), "1.00 GB");
  EXPECT_EQ(FormatBytes(1341490079), "1.34 GB");
}

TEST(UnitsTest, NounsFollowTheirCount) {
  EXPECT_EQ(Counted(0, "tensor"), "0 tensors");
  EXPECT_EQ(Counted(1, "tensor"), "1 tensor");
  EXPECT_EQ(Counted(2, "tensor"), "2 tensors");
}

TEST(UnitsTest, CountsHaveThreeDigits) {
  EXPECT_EQ(FormatCount(175), "175");
  EXPECT_EQ(FormatCount(43728), "43.7 k");
  EXPECT_EQ(FormatCount(24785089), "24.8 M");
  EXPECT_EQ(FormatCount(1258132225), "1.26 B");
}

TEST(UnitsTest, SecondsBecomeMinutes) {
  EXPECT_EQ(FormatSeconds(0.4211), "0.42 s");
  EXPECT_EQ(FormatSeconds(9.999), "10 s");
  EXPECT_EQ(FormatSeconds(59.4), "59 s");
  EXPECT_EQ(FormatSeconds(185), "3 min 5 s");
}

}  // namespace
}  // namespace modelport
