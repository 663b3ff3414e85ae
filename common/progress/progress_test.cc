#include "common/progress/progress.h"

#include "gtest/gtest.h"

namespace modelport {
namespace {

TEST(ProgressLineTest, ShowsBarBytesRateAndTimeLeft) {
  EXPECT_EQ(ProgressLine("write", 670'000'000, 1'340'000'000, absl::Seconds(2)),
            "write  [############............] 670 MB of 1.34 GB, 335 MB/s, 2.00 s left");
}

TEST(ProgressLineTest, TheStartHasNoRate) {
  EXPECT_EQ(ProgressLine("read", 0, 1000, absl::ZeroDuration()), "read   [........................] 0 B of 1.00 kB");
}

TEST(ProgressLineTest, MoreThanExpectedIsFull) {
  EXPECT_EQ(ProgressLine("write", 1010, 1000, absl::Seconds(1)),
            "write  [########################] 1.01 kB of 1.00 kB, 1.01 kB/s, 0.00 s left");
}

TEST(ProgressTest, PrintsNothingWhereThereIsNoTerminal) {
  testing::internal::CaptureStderr();
  { Progress("write", 10).Add(10); }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace modelport
