#include "tools/image/picture.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::ElementsAre;

TEST(Picture, IsOfOneColourAtFirst) { EXPECT_THAT(Picture(2, 1, {1, 2, 3}).rgb(), ElementsAre(1, 2, 3, 1, 2, 3)); }

TEST(Picture, RoundsFloats) {
  const Image image = {1, 1, std::vector<float>{0, 0.5f, 1}};
  EXPECT_THAT(Picture(image).rgb(), ElementsAre(0, 128, 255));
}

TEST(Picture, KeepsBytes) {
  const Image image = {1, 1, std::vector<uint8_t>{7, 8, 9}};
  EXPECT_THAT(Picture(image).rgb(), ElementsAre(7, 8, 9));
}

TEST(Picture, PastesWhatLiesInside) {
  Picture picture(2, 2, {0, 0, 0});
  picture.Paste(1, -1, Picture(3, 2, {5, 5, 5}));
  EXPECT_THAT(picture.rgb(), ElementsAre(0, 0, 0, 5, 5, 5, 0, 0, 0, 0, 0, 0));
}

}  // namespace
}  // namespace modelport
