#include "tools/image/draw_text.h"

#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

using ::testing::SizeIs;

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
