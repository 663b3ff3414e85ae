#include "tools/image/colour_map.h"

#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Expected colours are those of matplotlib 3.10: matplotlib.colormaps[name](step, bytes=True).

TEST(ColourMap, SpectralIsMatplotlibsSpectralR) {
  ASSERT_OK_AND_ASSIGN(const ColourMap map, FindColourMap("spectral"));
  EXPECT_THAT(map(0), ElementsAre(94, 79, 162));
  EXPECT_THAT(map(1.5 / 256), ElementsAre(92, 81, 163));
  EXPECT_THAT(map(63.5 / 256), ElementsAre(134, 206, 164));
  EXPECT_THAT(map(0.5), ElementsAre(254, 254, 189));
  EXPECT_THAT(map(200.5 / 256), ElementsAre(245, 119, 71));
  EXPECT_THAT(map(1), ElementsAre(158, 1, 66));
}

TEST(ColourMap, TurboIsGoogles) {
  ASSERT_OK_AND_ASSIGN(const ColourMap map, FindColourMap("turbo"));
  EXPECT_THAT(map(0), ElementsAre(48, 18, 59));
  EXPECT_THAT(map(64.5 / 256), ElementsAre(40, 187, 235));
  EXPECT_THAT(map(0.5), ElementsAre(164, 252, 59));
  EXPECT_THAT(map(1), ElementsAre(122, 4, 2));
}

TEST(ColourMap, ValuesOutsideTakeTheNearestColour) {
  ASSERT_OK_AND_ASSIGN(const ColourMap map, FindColourMap("grey"));
  EXPECT_THAT(map(-3), ElementsAre(0, 0, 0));
  EXPECT_THAT(map(0.5), ElementsAre(128, 128, 128));
  EXPECT_THAT(map(7), ElementsAre(255, 255, 255));
}

TEST(ColourMap, AnUnknownNameListsTheKnownOnes) {
  EXPECT_THAT(FindColourMap("jet"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("jet; known: spectral, turbo, grey")));
}

}  // namespace
}  // namespace modelport
