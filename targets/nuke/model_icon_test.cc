#include "targets/nuke/model_icon.h"

#include <png.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace modelport {
namespace {

constexpr uint32_t kWhite = 0xffffffff, kGrey = 0xff808080;

// A grey square.
std::string Square(uint32_t side) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = side;
  image.format = PNG_FORMAT_RGBA;
  const std::vector<uint32_t> pixels(side * side, kGrey);
  std::string png(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t size = png.size();
  EXPECT_TRUE(png_image_write_to_memory(&image, png.data(), &size, 0, pixels.data(), 0, nullptr)) << image.message;
  png.resize(size);
  return png;
}

// The pixels of a square of `side`, row by row.
std::vector<uint32_t> Pixels(const std::string& png, uint32_t side) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_TRUE(png_image_begin_read_from_memory(&image, png.data(), png.size())) << image.message;
  EXPECT_EQ(image.width, side);
  EXPECT_EQ(image.height, side);
  image.format = PNG_FORMAT_RGBA;
  std::vector<uint32_t> pixels(side * side);
  EXPECT_TRUE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr)) << image.message;
  return pixels;
}

// The letters on an icon of 24 pixels: its rows down to the last with a white dot, "#" for those.
std::vector<std::string> Letters(absl::string_view name) {
  const auto icon = ModelIcon(Square(24), name);
  EXPECT_OK(icon);
  if (!icon.ok()) return {};
  const std::vector<uint32_t> pixels = Pixels(*icon, 24);
  std::vector<std::string> rows;
  for (int y = 0; y < 24; ++y) {
    std::string row;
    for (int x = 0; x < 24; ++x) row += pixels[y * 24 + x] == kWhite ? '#' : ' ';
    rows.push_back(row.substr(0, row.find_last_not_of(' ') + 1));
  }
  while (!rows.empty() && rows.back().empty()) rows.pop_back();
  return rows;
}

TEST(ModelIconTest, TheFirstWordStandsAboveAsManyOfTheLastAsFit) {
  EXPECT_THAT(Letters("a_long_name_1_7"),
              testing::ElementsAre("", " #", "# #", "###", "# #", "# #", "",  //
                                   " #      ###", "##        #", " #       #", " #       #", "###      #"));
  const std::vector<std::string> two = Letters("routed_2");
  EXPECT_EQ(Letters("ROUTED2"), two);
  EXPECT_EQ(Letters("routedly-2"), two);
  EXPECT_EQ(Letters("routed"), std::vector<std::string>(two.begin(), two.begin() + 6));
}

TEST(ModelIconTest, BelowTheStripTheIconIsAsItWas) {
  for (const uint32_t side : {24u, 48u}) {
    ASSERT_OK_AND_ASSIGN(const std::string icon, ModelIcon(Square(side), "dav2_vits"));
    const std::vector<uint32_t> pixels = Pixels(icon, side);
    const auto below = pixels.begin() + 13 * side / 24 * side;
    EXPECT_EQ(std::count(pixels.begin(), below, kGrey), 0);
    EXPECT_EQ(std::count(below, pixels.end(), kGrey), pixels.end() - below);
  }
  ASSERT_OK_AND_ASSIGN(const std::string nameless, ModelIcon(Square(24), "_"));
  EXPECT_EQ(Pixels(nameless, 24), Pixels(Square(24), 24));
}

TEST(ModelIconTest, ALargerIconHasLargerLetters) {
  const auto white = [](uint32_t side) {
    const auto icon = ModelIcon(Square(side), "dav2_vits");
    EXPECT_OK(icon);
    const std::vector<uint32_t> pixels = Pixels(icon.value_or(""), side);
    return std::count(pixels.begin(), pixels.end(), kWhite);
  };
  EXPECT_EQ(white(48), 4 * white(24));
}

TEST(ModelIconTest, EqualLettersHaveTheColoursOfTheirNames) {
  std::set<std::string> icons;
  const std::vector<std::string> names = {"dav2_vits", "dav2_metric_vkitti_vits", "dav2_metric_hypersim_vits"};
  for (const std::string& name : names) {
    EXPECT_EQ(Letters(name), Letters(names.front()));
    ASSERT_OK_AND_ASSIGN(const std::string icon, ModelIcon(Square(24), name));
    icons.insert(icon);
  }
  EXPECT_EQ(icons.size(), names.size());
}

TEST(ModelIconTest, WhatIsNoPngIsAnError) {
  EXPECT_THAT(ModelIcon("GIF89a", "dav2_vits"), StatusIs(absl::StatusCode::kInternal, testing::HasSubstr("the icon")));
}

}  // namespace
}  // namespace modelport
