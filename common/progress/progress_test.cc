#include "common/progress/progress.h"

#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

constexpr char kErase[] = "\r\x1b[K";

TEST(ProgressLineTest, ShowsBarBytesRateAndTimeLeft) {
  EXPECT_EQ(ProgressLine("write", 670'000'000, 1'340'000'000, absl::Seconds(2), 80),
            "write  [############............] 670 MB of 1.34 GB, 335 MB/s, 2.00 s left");
}

TEST(ProgressLineTest, TheStartHasNoRate) {
  EXPECT_EQ(ProgressLine("read", 0, 1000, absl::ZeroDuration(), 80),
            "read   [........................] 0 B of 1.00 kB");
}

TEST(ProgressLineTest, MoreThanExpectedIsFull) {
  EXPECT_EQ(ProgressLine("write", 1010, 1000, absl::Seconds(1), 80),
            "write  [########################] 1.01 kB of 1.00 kB, 1.01 kB/s, 0.00 s left");
}

TEST(ProgressLineTest, WithoutATotalThereIsNoBar) {
  EXPECT_EQ(ProgressLine("prove", 1000, 0, absl::Seconds(1), 80), "prove  1.00 kB, 1.00 kB/s");
}

TEST(ProgressLineTest, CountsThingsInThePlaceOfBytes) {
  EXPECT_EQ(ProgressLine("predict", 12, 240, absl::Seconds(24), 100, "image"),
            "predict [#.......................] 12 of 240 images, 2.00 s each, 7 min 36 s left");
  EXPECT_EQ(ProgressLine("predict", 0, 1, absl::ZeroDuration(), 80, "image"),
            "predict [........................] 0 of 1 image");
  EXPECT_EQ(ProgressLine("predict", 3, 0, absl::Seconds(3), 80, "image"), "predict 3 images, 1.00 s each");
}

TEST(ProgressLineTest, IsCutToTheTerminal) {
  EXPECT_EQ(ProgressLine("write", 500, 1000, absl::Seconds(1), 20), "write  [############");
}

// Has a screen and a clock that the test controls.
class ProgressTest : public testing::Test {
 protected:
  ProgressScreen Screen() {
    ProgressScreen screen;
    screen.write = [this](absl::string_view text) { written_.emplace_back(text); };
    screen.columns = 40;
    screen.now = [this] { return now_; };
    return screen;
  }

  absl::Time now_ = absl::UnixEpoch();
  std::vector<std::string> written_;
};

TEST_F(ProgressTest, ShortWorkShowsNothing) {
  {
    Progress progress("write", 100, Screen());
    now_ += absl::Milliseconds(90);
    progress.Add(100);
  }
  EXPECT_THAT(written_, IsEmpty());
}

TEST_F(ProgressTest, IsDrawnTenTimesASecondAndErasedOnce) {
  Progress progress("write", 1000, Screen());
  for (int i = 0; i < 1000; ++i) {
    now_ += absl::Milliseconds(1);
    progress.Add(1);
  }
  EXPECT_THAT(written_, SizeIs(10));
  for (const std::string& text : written_) EXPECT_THAT(text, StartsWith(absl::StrCat(kErase, "write  [")));
  written_.clear();
  progress.Finish();
  progress.Finish();
  EXPECT_THAT(written_, ElementsAre(kErase));
}

TEST_F(ProgressTest, ShowDrawsBeforeTheFirstStepIsDone) {
  Progress progress("predict", 1, Screen(), "image");
  progress.Show();
  EXPECT_THAT(written_, ElementsAre(StartsWith(absl::StrCat(kErase, "predict ["))));
}

TEST_F(ProgressTest, StaysWithinTheTerminal) {
  Progress progress("write", 1000, Screen());
  now_ += absl::Seconds(1);
  progress.Add(500);
  EXPECT_THAT(written_, ElementsAre(SizeIs(std::string(kErase).size() + 39)));
}

TEST_F(ProgressTest, NothingIsDrawnAfterTheEnd) {
  Progress progress("write", 1000, Screen());
  progress.Finish();
  now_ += absl::Seconds(1);
  progress.Add(500);
  EXPECT_THAT(written_, IsEmpty());
}

TEST_F(ProgressTest, CountsTheBytesOfAllThreads) {
  Progress progress("read", 0, Screen());
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&progress] {
      for (int j = 0; j < 10'000; ++j) progress.Add(1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  now_ += absl::Seconds(1);
  progress.Add(0);
  EXPECT_THAT(written_, ElementsAre(AllOf(HasSubstr("40.0 kB, "), EndsWith("/s"))));
}

TEST(StderrScreenTest, DrawsNothingIfStderrIsNotATerminal) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(StderrScreen().write);
  testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace modelport
