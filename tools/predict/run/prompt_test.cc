#include "tools/predict/run/prompt.h"

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(PromptTest, APointThatIsGivenTwiceAddsUp) {
  PointsFlag flag;
  std::string error;
  ASSERT_TRUE(AbslParseFlag("200,150.5", &flag, &error));
  ASSERT_TRUE(AbslParseFlag("7,8,0", &flag, &error));
  ASSERT_TRUE(AbslParseFlag("9,10,1", &flag, &error));
  ASSERT_THAT(flag.points, SizeIs(3));
  EXPECT_EQ(flag.points[0].x, 200);
  EXPECT_EQ(flag.points[0].y, 150.5);
  EXPECT_EQ(flag.points[0].kind, PointKind::kForeground);
  EXPECT_EQ(flag.points[1].kind, PointKind::kBackground);
  EXPECT_EQ(flag.points[2].kind, PointKind::kForeground);
  EXPECT_EQ(AbslUnparseFlag(flag), "200,150.5 7,8,0 9,10");
}

TEST(PromptTest, OtherTextsAreNoPoints) {
  for (const char* text : {"", "1", "1,2,3", "1,2,0.5", "1,2,0,0", "a,2", "1,nan", "inf,2", "1;2"}) {
    PointsFlag flag;
    std::string error;
    EXPECT_FALSE(AbslParseFlag(text, &flag, &error)) << text;
    EXPECT_THAT(error, HasSubstr("such as 200,150"));
    EXPECT_THAT(flag.points, IsEmpty());
  }
}

TEST(PromptTest, ABoxHasTwoCorners) {
  BoxFlag flag;
  std::string error;
  ASSERT_TRUE(AbslParseFlag("1,2,30,40", &flag, &error));
  ASSERT_THAT(flag.corners, SizeIs(2));
  EXPECT_EQ(flag.corners[0].kind, PointKind::kBoxTopLeft);
  EXPECT_EQ(flag.corners[1].x, 30);
  EXPECT_EQ(AbslUnparseFlag(flag), "1,2,30,40");
  for (const char* text : {"", "1,2", "30,2,1,40", "1,40,30,2", "1,2,1,40", "1,2,3,x"}) {
    EXPECT_FALSE(AbslParseFlag(text, &flag, &error)) << text;
    EXPECT_THAT(error, HasSubstr("LEFT,TOP,RIGHT,BOTTOM"));
  }
}

TEST(PromptTest, PointsLieInTheImage) {
  EXPECT_OK(CheckInside({{0, 0, PointKind::kForeground}, {40, 30, PointKind::kForeground}}, 40, 30));
  for (const PromptPoint& point : {PromptPoint{40.5, 3, PointKind::kForeground}, {3, -1, PointKind::kBackground}}) {
    EXPECT_THAT(CheckInside({point}, 40, 30), StatusIs(absl::StatusCode::kInvalidArgument,
                                                       HasSubstr("is outside of the image, which has 40 x 30 pixels")));
  }
}

}  // namespace
}  // namespace modelport
