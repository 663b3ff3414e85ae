#include "tools/image/legend.h"

#include <algorithm>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::SizeIs;

Legend GreyLegend() { return {.map = *FindColourMap("grey"), .min = 2, .max = 4, .text = "metres", .warning = ""}; }

// How many pixels of the rows `top`.. have the colour.
int Count(const Picture& picture, int top, Rgb colour) {
  int count = 0;
  for (int y = top; y < picture.height(); ++y) {
    for (int x = 0; x < picture.width(); ++x) count += picture.Get(x, y) == colour ? 1 : 0;
  }
  return count;
}

TEST(ParseRange, TakesTwoNumbersTheSmallerFirst) {
  const absl::optional<ValueRange> range = ParseRange("-1.5,80");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->min, -1.5);
  EXPECT_EQ(range->max, 80);
  for (const char* const text : {"", "1", "1,", "1,1", "2,1", "1,2,3", "0,inf", "nan,1", "a,1"}) {
    EXPECT_FALSE(ParseRange(text)) << text;
  }
}

TEST(Legend, ColoursRunFromTheSmallestToTheLargestValue) {
  Legend legend = GreyLegend();
  EXPECT_EQ(LegendColour(legend, 2), (Rgb{0, 0, 0}));
  EXPECT_EQ(LegendColour(legend, 3), (Rgb{128, 128, 128}));
  EXPECT_EQ(LegendColour(legend, 9), (Rgb{255, 255, 255}));
  legend.reversed = true;
  EXPECT_EQ(LegendColour(legend, 2), (Rgb{255, 255, 255}));
  EXPECT_EQ(LegendColour(legend, 4), (Rgb{0, 0, 0}));
}

TEST(Legend, ARangeOfOneValueHasOneColour) {
  Legend legend = GreyLegend();
  legend.max = 2;
  EXPECT_EQ(LegendColour(legend, 2), (Rgb{0, 0, 0}));
}

TEST(Legend, StandsBelowAnUnchangedPicture) {
  const Picture picture(400, 100, {1, 2, 3});
  const Picture whole = WithLegend(picture, GreyLegend());
  EXPECT_EQ(whole.width(), 400);
  EXPECT_GT(whole.height(), 130);
  for (const int x : {0, 399}) {
    EXPECT_EQ(whole.Get(x, 0), (Rgb{1, 2, 3}));
    EXPECT_EQ(whole.Get(x, 99), (Rgb{1, 2, 3}));
  }
  EXPECT_GT(Count(whole, 100, {255, 255, 255}), 5);   // The bar's last colour.
  EXPECT_GT(Count(whole, 100, {230, 230, 230}), 20);  // Text.
}

TEST(Legend, ShowsAWarningInRed) {
  Legend legend = GreyLegend();
  const Picture picture(400, 10, {1, 2, 3});
  EXPECT_EQ(Count(WithLegend(picture, legend), 10, {255, 96, 80}), 0);
  legend.warning = "SEEDED weights: predicts nothing";
  EXPECT_GT(Count(WithLegend(picture, legend), 10, {255, 96, 80}), 40);
}

TEST(Caption, StandsBelowThePictureWithoutABar) {
  const Picture picture(400, 10, {1, 2, 3});
  const Picture whole = WithCaption(picture, "features", "SEEDED weights");
  EXPECT_EQ(whole.Get(399, 9), (Rgb{1, 2, 3}));
  EXPECT_GT(Count(whole, 10, {255, 96, 80}), 20);
  EXPECT_GT(Count(whole, 10, {230, 230, 230}), 10);
}

TEST(Legend, ANarrowPictureGetsABorder) {
  const Picture whole = WithLegend(Picture(1, 50, {9, 1, 5}), GreyLegend());
  EXPECT_EQ(whole.width(), 320);
  EXPECT_EQ(Count(whole, 0, {9, 1, 5}), 50);
}

std::vector<uint8_t> Drawn(absl::string_view text) {
  Picture picture(40, 40, {0, 0, 0});
  DrawText(text, 10, 10, 12, {255, 255, 255}, picture);
  return picture.rgb();
}

TEST(DrawText, EveryCharacterHasAGlyphOfItsOwn) {
  // O and 0 are the same.
  const std::string characters = "0123456789ABCDEFGHIJKLMNPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz .,:-+=/%_()<>!?";
  std::set<std::vector<uint8_t>> glyphs;
  for (const char character : characters) glyphs.insert(Drawn(std::string(1, character)));
  EXPECT_THAT(glyphs, SizeIs(characters.size()));
}

TEST(DrawText, StaysInsideItsWidth) {
  const std::string text = "WM 0.5 m";
  Picture picture(200, 30, {0, 0, 0});
  DrawText(text, 10, 5, 12, {255, 255, 255}, picture);
  for (int y = 0; y < 30; ++y) {
    for (int x = 10 + TextWidth(text, 12); x < 200; ++x) EXPECT_EQ(picture.Get(x, y), (Rgb{0, 0, 0}));
  }
}

TEST(DrawText, LeavesOutWhatLiesOutside) {
  Picture picture(4, 4, {0, 0, 0});
  DrawText("depth", -20, -3, 12, {255, 255, 255}, picture);
  DrawText("depth", 3, 3, 12, {255, 255, 255}, picture);
  EXPECT_THAT(picture.rgb(), SizeIs(48));
}

}  // namespace

}  // namespace modelport
