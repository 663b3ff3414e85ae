#include "tools/predict/run/work_size.h"

#include <utility>
#include <vector>

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(WorkSizeTest, ImagesOfUsualShapesRun) {
  const std::vector<std::pair<int, int>> sizes = {{518, 518}, {1920, 1080}, {4096, 1716}, {16000, 9000}, {1, 1}};
  for (const auto& [width, height] : sizes) {
    EXPECT_OK(CheckWorkSize(SizeRule::kShorterSide, absl::nullopt, 518, width, height));
    EXPECT_OK(CheckWorkSize(SizeRule::kLongerSide, absl::nullopt, 504, width, height));
    EXPECT_OK(CheckWorkSize(SizeRule::kTokens, absl::nullopt, 3600, width, height));
  }
  EXPECT_OK(CheckWorkSize(SizeRule::kShorterSide, 2160, 518, 3840, 2160));
}

TEST(WorkSizeTest, ASquareAtTheUsualSizeRunsHoweverLargeThatIs) {
  for (const int64_t usual : {518, 2048, 2560}) {
    for (const auto& [width, height] : {std::pair(640, 480), {3840, 2160}, {8000, 100}}) {
      EXPECT_OK(CheckWorkSize(SizeRule::kSquareSide, absl::nullopt, usual, width, height)) << usual;
    }
    EXPECT_OK(CheckWorkSize(SizeRule::kShorterSide, absl::nullopt, usual, 1000, 1000)) << usual;
  }
  EXPECT_THAT(CheckWorkSize(SizeRule::kShorterSide, absl::nullopt, 2560, 1000, 500),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("2 times those of a square one")));
}

TEST(WorkSizeTest, AStripSaysWhatItWouldCostAndWhichSizeDoesNot) {
  EXPECT_THAT(CheckWorkSize(SizeRule::kShorterSide, absl::nullopt, 518, 1024, 32),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       "the model would see 8.59 M pixels of this image of 1024 x 32, 32 times those of a square one: "
                       "that takes 32 times as long and more, since the time of attention grows with the square\n"
                       "  --size=91 gives it the pixels of a square one; --size=518 runs it all the same"));
  EXPECT_OK(CheckWorkSize(SizeRule::kShorterSide, 91, 518, 1024, 32));
  EXPECT_OK(CheckWorkSize(SizeRule::kShorterSide, 518, 518, 1024, 32));
  EXPECT_OK(CheckWorkSize(SizeRule::kLongerSide, absl::nullopt, 504, 1024, 32));
}

TEST(WorkSizeTest, ALargeSizeIsRefusedWithTheMost) {
  const auto refused = CheckWorkSize(SizeRule::kShorterSide, 100000, 518, 40, 30);
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kResourceExhausted,
                                AllOf(StartsWith("--size=100000: the model would see 13.3 B pixels"),
                                      HasSubstr("\n  --size=3872 is the most for this image"))));
  EXPECT_OK(CheckWorkSize(SizeRule::kShorterSide, 3872, 518, 40, 30));
  EXPECT_THAT(CheckWorkSize(SizeRule::kTokens, 1000000, 3600, 40, 30),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("--size=102040 is the most")));
  EXPECT_THAT(CheckWorkSize(SizeRule::kLongerSide, 100000, 504, 40, 40),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("--size=4472 is the most")));
  EXPECT_OK(CheckWorkSize(SizeRule::kSquareSide, 4472, 1024, 400, 30));
  EXPECT_THAT(CheckWorkSize(SizeRule::kSquareSide, 10240, 1024, 400, 30),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("100 times as long and more"), HasSubstr("--size=4472 is the most"))));
}

TEST(WorkSizeTest, AModelWithoutASizeOfItsOwnSeesTheWholeImage) {
  EXPECT_OK(CheckWorkSize(SizeRule::kSquareSide, absl::nullopt, 0, 1920, 1080));
  EXPECT_THAT(CheckWorkSize(SizeRule::kSquareSide, absl::nullopt, 0, 3840, 2160),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       AllOf(StartsWith("the model would see 8.29 M pixels of this image of 3840 x 2160"),
                             HasSubstr("\n  --size=1365 gives it the pixels of a square one; --size=3840 runs it all "
                                       "the same"))));
  EXPECT_OK(CheckWorkSize(SizeRule::kSquareSide, 3840, 0, 3840, 2160));
  EXPECT_OK(CheckWorkSize(SizeRule::kSquareSide, 1365, 0, 3840, 2160));
  EXPECT_OK(CheckWorkSize(SizeRule::kSquareSide, 5900, 0, 3840, 2160));
  EXPECT_THAT(CheckWorkSize(SizeRule::kSquareSide, 6000, 0, 3840, 2160),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("--size=5962 is the most for this image")));
  EXPECT_THAT(CheckWorkSize(SizeRule::kSquareSide, absl::nullopt, 0, 7680, 4320),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("--size=1365 gives it")));
}

TEST(WorkSizeTest, ArgumentsOfOtherNamesSetNoResolution) {
  EXPECT_EQ(FindSizeRule("process_res"), SizeRule::kLongerSide);
  EXPECT_EQ(FindSizeRule("max_size"), SizeRule::kLongerSide);
  EXPECT_EQ(FindSizeRule("side"), SizeRule::kSquareSide);
  EXPECT_EQ(FindSizeRule("x"), absl::nullopt);
}

}  // namespace
}  // namespace modelport
