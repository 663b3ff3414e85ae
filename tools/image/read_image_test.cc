#include "tools/image/read_image.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/io/output_file.h"
#include "common/status/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/image/testing/sample_images.h"
#include "tools/image/transfer.h"

namespace modelport {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatEq;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kLimit = 1 << 20;

std::string Write(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + name;
  EXPECT_TRUE(OutputFile::WriteWhole(path, bytes).ok());
  return path;
}

absl::StatusOr<ReadImageResult> Read(const std::string& bytes, int64_t limit = kLimit) {
  return ReadImage(Write("image", bytes), limit);
}

// The pixels as numbers; bytes are 0..255.
std::vector<float> Pixels(const Image& image) {
  return std::visit([](const auto& pixels) { return std::vector<float>(pixels.begin(), pixels.end()); }, image.pixels);
}

// The value of a channel of a pixel.
using Expected = std::function<float(int x, int y, int channel)>;

void ExpectPixels(const Image& image, int width, int height, const Expected& expected, float tolerance) {
  ASSERT_EQ(image.width, width);
  ASSERT_EQ(image.height, height);
  const std::vector<float> pixels = Pixels(image);
  ASSERT_EQ(pixels.size(), width * height * 3);
  for (int i = 0; i < static_cast<int>(pixels.size()); ++i) {
    const int x = i / 3 % width, y = i / 3 / width;
    ASSERT_NEAR(pixels[i], expected(x, y, i % 3), tolerance) << "x " << x << " y " << y << " channel " << i % 3;
  }
}

float Grey(int x, int y, int) { return SampleValue(x, y, 0); }

bool HasFloats(const Image& image) { return std::get_if<std::vector<float>>(&image.pixels) != nullptr; }

TEST(ReadImage, PngOf8BitsKeepsEveryByte) {
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakePng({.width = 19, .height = 23})));
  ExpectPixels(read.image, 19, 23, SampleValue, 0);
  EXPECT_FALSE(HasFloats(read.image));
  EXPECT_THAT(read.notes, IsEmpty());
}

TEST(ReadImage, PngOf16BitsBecomesFloats) {
  for (const int colours : {0, 2, 4, 6}) {
    ASSERT_OK_AND_ASSIGN(const auto read, Read(MakePng({.width = 17, .height = 9, .colours = colours, .bits = 16})));
    EXPECT_TRUE(HasFloats(read.image));
    ExpectPixels(
        read.image, 17, 9, [&](int x, int y, int c) { return SampleValue(x, y, (colours & 2) != 0 ? c : 0) / 255.0f; },
        1e-7);
  }
}

TEST(ReadImage, GreyBecomesRgb) {
  ASSERT_OK_AND_ASSIGN(const auto png, Read(MakePng({.colours = 0})));
  ExpectPixels(png.image, 16, 16, Grey, 0);
  ASSERT_OK_AND_ASSIGN(const auto jpeg, Read(MakeJpeg({.channels = 1})));
  ExpectPixels(jpeg.image, 16, 16, Grey, 2);
  ASSERT_OK_AND_ASSIGN(const auto tiff, Read(MakeTiff({.channels = 1})));
  ExpectPixels(tiff.image, 16, 16, Grey, 0);
}

TEST(ReadImage, PalettesBecomeRgb) {
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakePng({.colours = 3})));
  const auto colour = [](int x, int y, int c) {
    const int index = SampleValue(x, y, 0);
    return c == 0 ? index : c == 1 ? 255 - index : index / 2;
  };
  ExpectPixels(read.image, 16, 16, colour, 0);
}

TEST(ReadImage, AlphaIsIgnoredAndSaid) {
  for (const std::string& file : {MakePng({.colours = 6}), MakeTiff({.channels = 4})}) {
    ASSERT_OK_AND_ASSIGN(const auto read, Read(file));
    ExpectPixels(read.image, 16, 16, SampleValue, 0);
    EXPECT_THAT(read.notes, ElementsAre("alpha ignored"));
  }
}

TEST(ReadImage, InterlacedPngIsRead) {
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakePng({.width = 21, .height = 13, .interlaced = true})));
  ExpectPixels(read.image, 21, 13, SampleValue, 0);
}

TEST(ReadImage, JpegIsReadWithinItsRounding) {
  for (const bool progressive : {false, true}) {
    ASSERT_OK_AND_ASSIGN(const auto read, Read(MakeJpeg({.width = 24, .progressive = progressive})));
    // Chroma is stored at half the resolution; the blocks of 8 pixels keep it but for a border.
    ASSERT_EQ(read.image.width, 24);
    const std::vector<float> pixels = Pixels(read.image);
    for (const int x : {2, 10, 18}) {
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(pixels[(3 * 24 + x) * 3 + c], SampleValue(x, 3, c), 12);
    }
  }
}

TEST(ReadImage, CmykBecomesRgbAndThatIsSaid) {
  // Adobe's JPEG holds paper as 255, so that each channel is multiplied by black; TIFF holds ink as 255.
  ASSERT_OK_AND_ASSIGN(const auto jpeg, Read(MakeJpeg({.channels = 4})));
  ExpectPixels(
      jpeg.image, 16, 16, [](int x, int y, int c) { return SampleValue(x, y, c) * SampleValue(x, y, 3) / 255.0f; }, 3);
  EXPECT_THAT(jpeg.notes, ElementsAre("CMYK converted to RGB without a profile"));
  ASSERT_OK_AND_ASSIGN(const auto tiff, Read(MakeTiff({.channels = 4, .inks = true})));
  ExpectPixels(
      tiff.image, 16, 16,
      [](int x, int y, int c) { return (255 - SampleValue(x, y, c)) * (255 - SampleValue(x, y, 3)) / 255.0f; }, 1);
  EXPECT_THAT(tiff.notes, ElementsAre("CMYK converted to RGB without a profile"));
}

TEST(ReadImage, ProfilesAreIgnoredAndSaid) {
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakeJpeg({.profile = true})));
  EXPECT_THAT(read.notes, ElementsAre("ICC profile ignored: the colours are taken as sRGB"));
}

// The stored pixel that stands at x, y of the upright image, for each orientation of an image of 24 x 16 pixels.
float Upright(int orientation, int x, int y, int c) {
  const int right = 23, bottom = 15;
  switch (orientation) {
    case 2:
      return SampleValue(right - x, y, c);
    case 3:
      return SampleValue(right - x, bottom - y, c);
    case 4:
      return SampleValue(x, bottom - y, c);
    case 5:
      return SampleValue(y, x, c);
    case 6:
      return SampleValue(y, bottom - x, c);
    case 7:
      return SampleValue(right - y, bottom - x, c);
    case 8:
      return SampleValue(right - y, x, c);
    default:
      return SampleValue(x, y, c);
  }
}

TEST(ReadImage, EveryOrientationBecomesUpright) {
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const int width = orientation < 5 ? 24 : 16, height = 40 - width;
    const auto expected = [&](int x, int y, int c) { return Upright(orientation, x, y, c); };
    ASSERT_OK_AND_ASSIGN(const auto png, Read(MakePng({.width = 24, .height = 16, .orientation = orientation})));
    ExpectPixels(png.image, width, height, expected, 0);
    ASSERT_OK_AND_ASSIGN(const auto tiff, Read(MakeTiff({.width = 24, .height = 16, .orientation = orientation})));
    ExpectPixels(tiff.image, width, height, expected, 0);
    ASSERT_OK_AND_ASSIGN(const auto jpeg,
                         Read(MakeJpeg({.width = 24, .height = 16, .channels = 1, .orientation = orientation})));
    ExpectPixels(
        jpeg.image, width, height, [&](int x, int y, int) { return expected(x, y, 0); }, 2);
    if (orientation > 1) {
      const std::string note = absl::StrCat("turned upright (orientation ", orientation, ")");
      EXPECT_THAT(png.notes, ElementsAre(note));
      EXPECT_THAT(tiff.notes, ElementsAre(note));
      EXPECT_THAT(jpeg.notes, ElementsAre(note));
    }
  }
}

TEST(ReadImage, TiffOf8BitsIsReadInTilesToo) {
  for (const bool tiles : {false, true}) {
    ASSERT_OK_AND_ASSIGN(const auto read, Read(MakeTiff({.tiles = tiles})));
    ExpectPixels(read.image, 16, 16, SampleValue, 0);
  }
}

TEST(ReadImage, TiffOf16BitsBecomesFloats) {
  for (const int channels : {1, 3}) {
    ASSERT_OK_AND_ASSIGN(const auto read, Read(MakeTiff({.channels = channels, .bits = 16})));
    EXPECT_TRUE(HasFloats(read.image));
    ExpectPixels(
        read.image, 16, 16, [&](int x, int y, int c) { return SampleValue(x, y, channels == 1 ? 0 : c) / 255.0f; },
        1e-7);
    EXPECT_THAT(read.notes, IsEmpty());
  }
}

TEST(ReadImage, FloatTiffIsSceneLinear) {
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakeTiff({.bits = 32})));
  ExpectPixels(
      read.image, 16, 16, [](int x, int y, int c) { return LinearToSrgb(SampleValue(x, y, c) / 255.0f); }, 1e-7);
  EXPECT_THAT(read.notes, ElementsAre(HasSubstr("scene-linear")));
}

TEST(ReadImage, TheFirstPageOfATiffIsReadAndThatIsSaid) {
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakeTiff({.pages = 2})));
  ExpectPixels(read.image, 16, 16, SampleValue, 0);
  EXPECT_THAT(read.notes, ElementsAre("several pages: the first is read"));
}

// A picture has the same colours as TIFF of 8 and of 16 bits and as PNG.
TEST(ReadImage, AStraightAlphaOfATiffChangesNoColour) {
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakeTiff({.channels = 4, .alpha = 64})));
  ExpectPixels(read.image, 16, 16, SampleValue, 0);
  ASSERT_OK_AND_ASSIGN(const auto deep, Read(MakeTiff({.channels = 4, .bits = 16, .alpha = 64})));
  ExpectPixels(
      deep.image, 16, 16, [](int x, int y, int c) { return SampleValue(x, y, c) / 255.0f; }, 1e-7);
}

TEST(ReadImage, ADamagedSecondPageOfATiffSpoilsNotTheFirst) {
  const std::string one = MakeTiff({}), two = MakeTiff({.pages = 2});
  const std::string damaged = two.substr(0, two.size() - 60) + std::string(60, '\xff');
  ASSERT_OK_AND_ASSIGN(const auto read, Read(damaged));
  ExpectPixels(read.image, 16, 16, SampleValue, 0);
}

TEST(ReadImage, ACutJpegInATiffIsDamaged) {
  const std::string whole = MakeTiff({.width = 64, .height = 64, .jpeg = true});
  EXPECT_OK(Read(whole));
  std::string cut = whole;
  const size_t scan = whole.rfind("\xff\xda"), end = whole.find("\xff\xd9", scan);
  ASSERT_LT(scan, end);
  cut.replace((scan + end) / 2, 2, "\xff\xd9");  // The end of a JPEG.
  EXPECT_THAT(Read(cut), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST(ReadImage, ASignedTiffIsRefused) {
  EXPECT_THAT(Read(MakeTiff({.sign = true})),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("8 bits with the sample format 2")));
}

TEST(ReadImage, RareTiffIsRefusedWithWhatItHas) {
  EXPECT_THAT(Read(MakeTiff({.bits = 16, .tiles = true})),
              StatusIs(absl::StatusCode::kUnimplemented, AllOf(HasSubstr("3 x 16 bits"), HasSubstr("in tiles"))));
}

TEST(ReadImage, ExrIsSceneLinear) {
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakeExr({.width = 2, .height = 1, .values = {0.18, 4, 0.5, -1, 0, 1}})));
  EXPECT_TRUE(HasFloats(read.image));
  EXPECT_THAT(Pixels(read.image),
              ElementsAre(FloatEq(LinearToSrgb(0.18f)), FloatEq(LinearToSrgb(0.5f)), 0, FloatEq(1), 0, FloatEq(1)));
  EXPECT_THAT(read.notes, ElementsAre(HasSubstr("scene-linear: converted to sRGB")));
}

// ACEScg. The matrix to Rec. 709, by Bradford, is known to six digits.
TEST(ReadImage, ThePrimariesOfAnExrAreConverted) {
  const SampleExr acescg = {.width = 2,
                            .height = 1,
                            .values = {0.18, 0.2, 0.18, 0.1, 0.18, 0.05},
                            .primaries = {0.713, 0.293, 0.165, 0.830, 0.128, 0.044, 0.32168, 0.33767}};
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakeExr(acescg)));
  const std::vector<float> pixels = Pixels(read.image);
  const float wanted[] = {0.18f,
                          0.18f,
                          0.18f,  // Grey stays grey.
                          1.705051f * 0.2f - 0.621792f * 0.1f - 0.083259f * 0.05f,
                          -0.130256f * 0.2f + 1.140805f * 0.1f - 0.010548f * 0.05f,
                          -0.024003f * 0.2f - 0.128969f * 0.1f + 1.152972f * 0.05f};
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(pixels[i], LinearToSrgb(wanted[i]), 2e-4) << i;
  EXPECT_THAT(read.notes, Contains(HasSubstr("primaries converted to sRGB's, from red 0.713 0.293")));
}

TEST(ReadImage, TheStatedPrimariesOfRec709ChangeNothing) {
  SampleExr sample = {.width = 1, .height = 1, .values = {0.2, 0.1, 0.05}};
  ASSERT_OK_AND_ASSIGN(const auto plain, Read(MakeExr(sample)));
  sample.primaries = {0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329};
  ASSERT_OK_AND_ASSIGN(const auto stated, Read(MakeExr(sample)));
  EXPECT_EQ(Pixels(plain.image), Pixels(stated.image));
  EXPECT_EQ(plain.notes, stated.notes);
  sample.primaries = {0.64, 0, 0.3, 0, 0.15, 0, 0.3127, 0};
  EXPECT_THAT(Read(MakeExr(sample)), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST(ReadImage, PixelsThatAreNotSquareAreSaid) {
  ASSERT_OK_AND_ASSIGN(const auto read,
                       Read(MakeExr({.width = 1, .height = 1, .values = {0, 0, 0}, .pixel_aspect = 2})));
  EXPECT_THAT(read.notes, Contains("pixel aspect ratio 2: the model takes the pixels as square"));
}

TEST(ReadImage, KnowsWhereAnExrLiesOnItsPlate) {
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakeExr({.width = 1,
                                                      .height = 1,
                                                      .left = 4,
                                                      .top = -3,
                                                      .display_width = 8,
                                                      .display_height = 6,
                                                      .display_left = 2,
                                                      .display_top = -4,
                                                      .pixel_aspect = 2})));
  EXPECT_EQ(read.image.width, 8);
  EXPECT_EQ(read.image.height, 6);
  EXPECT_EQ(read.image.plate.left, 2);
  EXPECT_EQ(read.image.plate.top, -4);
  EXPECT_EQ(read.image.plate.pixel_aspect, 2);
}

TEST(ReadImage, WhatAPngStatesOfItsColoursIsHonouredOrSaid) {
  const struct {
    SamplePng sample;
    std::string note;
  } kCases[] = {
      {{.gamma = 1}, "gAMA ignored, of 1: the colours are taken as sRGB"},
      {{.gamma = 1 / 2.2}, ""},
      {{.srgb = true}, ""},
      {{.primaries = true}, "cHRM ignored: the colours are taken as sRGB"},
      {{.gamma = 0.5, .primaries = true}, "gAMA ignored, of 0.5, and cHRM ignored: the colours are taken as sRGB"},
      {{.cicp = {9, 16, 0, 1}}, "cICP ignored, of primaries 9 and transfer 16: the colours are taken as sRGB"},
      {{.gamma = 1, .cicp = {1, 13, 0, 1}}, ""},
  };
  for (const auto& test : kCases) {
    ASSERT_OK_AND_ASSIGN(const auto read, Read(MakePng(test.sample)));
    EXPECT_THAT(read.notes, test.note.empty() ? testing::Matcher<std::vector<std::string>>(testing::IsEmpty())
                                              : testing::Matcher<std::vector<std::string>>(ElementsAre(test.note)));
  }
}

TEST(ReadImage, NanInExrIsCountedAndTakenAsBlack) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  ASSERT_OK_AND_ASSIGN(const auto read,
                       Read(MakeExr({.width = 2, .height = 1, .values = {nan, 1, nan, 1, infinity, 1}})));
  EXPECT_THAT(Pixels(read.image), ElementsAre(0, 0, FloatEq(1), FloatEq(1), FloatEq(1), FloatEq(1)));
  EXPECT_THAT(read.notes, Contains("2 NaN taken as 0"));
}

TEST(ReadImage, GreyExrBecomesRgb) {
  ASSERT_OK_AND_ASSIGN(const auto read,
                       Read(MakeExr({.width = 1, .height = 1, .channels = {"Y"}, .values = {std::nanf("")}})));
  EXPECT_THAT(Pixels(read.image), ElementsAre(0, 0, 0));
  EXPECT_THAT(read.notes, Contains("1 NaN taken as 0"));
}

TEST(ReadImage, TheDisplayWindowOfAnExrIsTheImage) {
  // The data window reaches beyond the display window on one side and leaves black on the other.
  SampleExr sample = {.width = 2, .height = 2, .values = std::vector<float>(12, 1), .left = -1, .top = 1};
  sample.display_width = 2;
  sample.display_height = 4;
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakeExr(sample)));
  ExpectPixels(
      read.image, 2, 4, [](int x, int y, int) { return x == 0 && (y == 1 || y == 2) ? 1 : 0; }, 1e-6);
}

TEST(ReadImage, ExrWithoutColoursIsRefusedWithItsChannels) {
  EXPECT_THAT(Read(MakeExr({.channels = {"depth.Z", "id"}})),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("has depth.Z, id")));
}

absl::StatusOr<ReadImageResult> ReadAlphaOf(const std::string& bytes) {
  return ReadAlpha(Write("alpha", bytes), kLimit);
}

TEST(ReadAlpha, BytesAndNumbersOf16BitsAreThoseOfTheFile) {
  const int width = 20, height = 9;
  const auto sample = [&](size_t i, int channel) { return SampleValue(i / 3 % width, i / 3 / width, channel); };
  for (const auto& [colours, channel] : {std::pair(4, 1), std::pair(6, 3)}) {
    for (const bool interlaced : {false, true}) {
      SamplePng png = {.width = width, .height = height, .colours = colours, .interlaced = interlaced};
      ASSERT_OK_AND_ASSIGN(const auto bytes, ReadAlphaOf(MakePng(png)));
      const auto& small = std::get<std::vector<uint8_t>>(bytes.image.pixels);
      ASSERT_EQ(small.size(), 3 * width * height);
      for (size_t i = 0; i < small.size(); ++i) ASSERT_EQ(small[i], sample(i, channel)) << colours << " " << i;
      png.bits = 16;
      ASSERT_OK_AND_ASSIGN(const auto deep, ReadAlphaOf(MakePng(png)));
      const auto& floats = std::get<std::vector<float>>(deep.image.pixels);
      ASSERT_EQ(floats.size(), 3 * width * height);
      for (size_t i = 0; i < floats.size(); ++i) ASSERT_NEAR(floats[i], sample(i, channel) / 255.0, 1e-6) << i;
    }
  }
  for (const int channels : {2, 4}) {
    for (const bool stated : {false, true}) {
      ASSERT_OK_AND_ASSIGN(const auto tiff,
                           ReadAlphaOf(MakeTiff({.channels = channels, .alpha = 77, .stated = stated})));
      EXPECT_THAT(std::get<std::vector<uint8_t>>(tiff.image.pixels), Each(77)) << channels << stated;
      EXPECT_THAT(tiff.notes, IsEmpty());
    }
  }
}

TEST(ReadAlpha, FloatsAreNotConverted) {
  const std::string exr =
      MakeExr({.width = 2, .height = 1, .channels = {"R", "G", "B", "A"}, .values = {1, 1, 1, 1, 1, 1, 0.25, 0.5}});
  ASSERT_OK_AND_ASSIGN(const auto alpha, ReadAlphaOf(exr));
  EXPECT_THAT(std::get<std::vector<float>>(alpha.image.pixels), ElementsAre(0.25, 0.25, 0.25, 0.5, 0.5, 0.5));
  EXPECT_FALSE(alpha.was_linear);
  for (const int bits : {16, 32}) {
    for (const int channels : {2, 4}) {
      ASSERT_OK_AND_ASSIGN(const auto tiff, ReadAlphaOf(MakeTiff({.channels = channels, .bits = bits, .alpha = 51})));
      EXPECT_THAT(std::get<std::vector<float>>(tiff.image.pixels), Each(FloatNear(0.2f, 1e-6f))) << bits;
    }
  }
}

TEST(ReadAlpha, WhatIsNotFiniteIsTakenAs0) {
  ASSERT_OK_AND_ASSIGN(
      const auto alpha,
      ReadAlphaOf(MakeExr({.width = 2, .height = 1, .channels = {"A"}, .values = {std::nanf(""), 0.5}})));
  EXPECT_THAT(std::get<std::vector<float>>(alpha.image.pixels), ElementsAre(0, 0, 0, 0.5, 0.5, 0.5));
  EXPECT_THAT(alpha.notes, ElementsAre("1 values are not finite and taken as 0"));
  ASSERT_OK_AND_ASSIGN(
      const auto tiff,
      ReadAlphaOf(MakeTiff({.width = 3, .height = 2, .channels = 4, .bits = 32, .alpha = std::nanf("")})));
  EXPECT_THAT(std::get<std::vector<float>>(tiff.image.pixels), Each(0));
  EXPECT_THAT(tiff.notes, ElementsAre("6 values are not finite and taken as 0"));
}

TEST(ReadAlpha, ManyKindsOfImagesHaveNone) {
  for (const std::string& bytes : {MakePng({}), MakePng({.colours = 3}), MakeJpeg({}), MakeTiff({}),
                                   MakeTiff({.channels = 4, .inks = true}), MakeExr({})}) {
    EXPECT_THAT(ReadAlphaOf(bytes), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("alpha: has no alpha")));
  }
}

absl::StatusOr<ReadDepthResult> ReadDepthOf(const std::string& bytes) {
  return ReadDepth(Write("depth", bytes), kLimit);
}

TEST(ReadDepth, AnExrHasMetres) {
  for (const char* const channel : {"depth.Z", "Z", "Y", "R", "lidar.distance"}) {
    ASSERT_OK_AND_ASSIGN(const auto depth,
                         ReadDepthOf(MakeExr({.width = 2, .height = 1, .channels = {channel}, .values = {0.25, 80}})));
    EXPECT_EQ(depth.width, 2);
    EXPECT_EQ(depth.height, 1);
    EXPECT_THAT(depth.metres, ElementsAre(0.25, 80)) << channel;
    EXPECT_THAT(depth.notes, IsEmpty());
  }
  ASSERT_OK_AND_ASSIGN(
      const auto beside,
      ReadDepthOf(MakeExr({.width = 1, .height = 1, .channels = {"R", "G", "B", "depth.Z"}, .values = {1, 1, 1, 7}})));
  EXPECT_THAT(beside.metres, ElementsAre(7));
  EXPECT_THAT(ReadDepthOf(MakeExr({.channels = {"id", "normal.X"}})),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("has id, normal.X")));
}

TEST(ReadDepth, APngHasMillimetres) {
  ASSERT_OK_AND_ASSIGN(const auto depth, ReadDepthOf(MakePng({.width = 16, .height = 9, .colours = 0, .bits = 16})));
  ASSERT_EQ(depth.metres.size(), 16 * 9);
  for (int i = 0; i < 16 * 9; ++i) {
    EXPECT_NEAR(depth.metres[i], SampleValue(i % 16, i / 16, 0) * 257 / 1000.0, 1e-5) << i;
  }
  EXPECT_THAT(ReadDepthOf(MakePng({.colours = 0})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("has 8 bits; depth in a PNG is 16 bits")));
  EXPECT_THAT(ReadDepthOf(MakePng({.bits = 16})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a colour image; depth is one number")));
  EXPECT_THAT(ReadDepthOf(MakeJpeg({})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("depth is read from EXR, in metres")));
}

TEST(ReadDepth, SaysWhereDepthIsMissing) {
  const float nan = std::nanf(""), infinity = std::numeric_limits<float>::infinity();
  ASSERT_OK_AND_ASSIGN(
      const auto depth,
      ReadDepthOf(MakeExr({.width = 4, .height = 1, .channels = {"Z"}, .values = {nan, 0, infinity, 2}})));
  EXPECT_THAT(depth.metres, ElementsAre(0, 0, 0, 2));
  EXPECT_THAT(depth.notes, ElementsAre("depth: 0 at 3 pixels, which the model takes as 0 m",
                                       "depth: 2 values are not finite and taken as 0"));
}

TEST(ReadImage, AFormatThatIsNotReadIsNamedWithItsConverter) {
  const std::pair<std::string, absl::string_view> kCases[] = {
      {std::string("\0\0\0\x18", 4) + "ftypheic....",
       "image: is a HEIC image, which is not read\n  make a PNG of it: heif-"},
      {std::string("\0\0\0\x18", 4) + "ftypavif....", "image: is an AVIF image, which is not read\n"},
      {std::string("\0\0\0\x18", 4) + "ftypisom....", "image: is an MP4 video"},
      {"RIFF....WEBPVP8 ", "image: is a WebP image, which is not read\n  make a PNG of it: dwebp IN -o OUT.png"},
      {"GIF89a......", "image: is a GIF image"},
      {"SDPX........", "image: is a DPX image"},
      {"version https://git-lfs.github.com/spec/v1\noid", "image: is no image: a Git LFS pointer"},
      {"GIF", "image: is no JPEG, PNG, TIFF or EXR image"},
  };
  for (const auto& [bytes, message] : kCases) {
    EXPECT_THAT(Read(bytes), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
  }
}

TEST(ReadImage, OtherFilesAreRefused) {
  EXPECT_THAT(Read("some text that is no image"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("image: is no JPEG, PNG, TIFF or EXR image")));
  EXPECT_THAT(Read(""), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the file is empty")));
  EXPECT_THAT(ReadImage(testing::TempDir() + "none.png", kLimit), StatusIs(absl::StatusCode::kNotFound, _));
  EXPECT_THAT(ReadImage(testing::TempDir(), kLimit), StatusIs(absl::StatusCode::kInvalidArgument, _));
}

TEST(ReadImage, AnImageWithoutPixelsIsRefused) {
  std::string png = MakePng({});
  png[19] = 0;  // The width.
  EXPECT_THAT(Read(png), StatusIs(absl::StatusCode::kDataLoss, _));
}

TEST(ReadImage, OnePixelIsAnImage) {
  for (const std::string& file :
       {MakePng({.width = 1, .height = 1}), MakeTiff({.width = 1, .height = 1}), MakeJpeg({.width = 1, .height = 1})}) {
    ASSERT_OK_AND_ASSIGN(const auto read, Read(file));
    ExpectPixels(read.image, 1, 1, SampleValue, 3);
  }
}

TEST(ReadImage, ANarrowImageIsAnImage) {
  ASSERT_OK_AND_ASSIGN(const auto read, Read(MakePng({.width = 1, .height = 20000})));
  ExpectPixels(read.image, 1, 20000, SampleValue, 0);
}

TEST(ReadImage, AnImageAboveTheLimitIsRefusedBeforeItIsDecoded) {
  // The file says 20000 x 20000 pixels and holds a few.
  std::string jpeg = MakeJpeg({});
  const size_t frame = jpeg.find("\xff\xc0");
  jpeg.replace(frame + 5, 4, "\x4e\x20\x4e\x20");
  EXPECT_THAT(Read(jpeg), StatusIs(absl::StatusCode::kResourceExhausted,
                                   AllOf(HasSubstr("20000 x 20000 pixels, more than the limit of 1 megapixels"),
                                         HasSubstr("--max_megapixels=400"))));
  EXPECT_THAT(Read(MakePng({.width = 600, .height = 400}), 100000), StatusIs(absl::StatusCode::kResourceExhausted, _));
  EXPECT_THAT(Read(MakeTiff({.width = 600, .height = 400}), 100000), StatusIs(absl::StatusCode::kResourceExhausted, _));
  EXPECT_THAT(Read(MakeExr({.width = 600, .height = 400}), 100000), StatusIs(absl::StatusCode::kResourceExhausted, _));
}

// Each scan takes the time of an image, so a small file of many would take minutes.
TEST(ReadImage, AJpegOfManyScansIsRefused) {
  EXPECT_OK(Read(MakeJpeg({.channels = 1, .progressive = true})));
  EXPECT_OK(Read(MakeJpeg({.channels = 1, .many_scans = true})));
  EXPECT_THAT(Read(MakeJpeg({.many_scans = true})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("has more than 64 scans")));
}

// Every beginning of a file is an error, never a crash and never half an image.
TEST(ReadImage, TruncatedFilesAreRefused) {
  for (const std::string& file :
       {MakeJpeg({}), MakeJpeg({.progressive = true}), MakePng({}), MakePng({.bits = 16}), MakeTiff({}),
        MakeTiff({.bits = 16}), MakeExr({.width = 8, .height = 8, .values = std::vector<float>(192, 0.5)})}) {
    for (size_t size = 0; size + 2 < file.size(); size += 1 + file.size() / 40) {
      const absl::StatusCode code = Read(file.substr(0, size)).status().code();
      EXPECT_THAT(code, AnyOf(absl::StatusCode::kDataLoss, absl::StatusCode::kInvalidArgument))
          << size << " of " << file.size();
    }
  }
}

// OpenEXR 3.4 writes it; to older releases its number is a fault in the header.
TEST(ReadImage, ANewCompressionOfExrIsNamed) {
  std::string exr = MakeExr({.values = std::vector<float>(12, 0.5)});
  const size_t number = exr.find("compression", exr.find("compression") + 1) + 12 + 4;
  for (const char htj2k : {10, 11}) {
    exr[number] = htj2k;
    EXPECT_THAT(Read(exr), StatusIs(absl::StatusCode::kUnimplemented,
                                    HasSubstr("is compressed with HTJ2K, which is not read\n  save it with ZIP, PIZ")));
  }
  exr[number] = 12;
  EXPECT_THAT(Read(exr), StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("is compressed by method 12, which")));
}

// A damaged file may still be an image, but it ends neither the process nor the machine's memory.
TEST(ReadImage, DamagedFilesDoNoHarm) {
  for (const std::string& file :
       {MakeJpeg({.orientation = 6}), MakePng({.orientation = 6}), MakeTiff({}), MakeExr({.width = 8, .height = 8})}) {
    for (size_t i = 4; i < file.size(); i += 1 + file.size() / 60) {
      std::string damaged = file;
      damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
      const auto read = Read(damaged);
      if (read.ok()) continue;
      EXPECT_THAT(read.status().message(), HasSubstr("image: ")) << i;
    }
  }
}

}  // namespace
}  // namespace modelport
