// demo_upscale does its job: scenes that it never saw come out nearer to what they were before they were halved than
// repeated pixels are.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/status/status_matchers.h"
#include "docs/pictures/scene.h"
#include "docs/pictures/trace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/compare_images.h"
#include "tests/support/tool_process.h"
#include "tools/image/encode_png.h"
#include "tools/image/picture.h"
#include "tools/image/read_image.h"

namespace modelport {
namespace {

using testing::HasSubstr;

constexpr int kWidth = 210, kHeight = 140;  // Of the small images.
constexpr int kScenes = 8;
constexpr uint64_t kFirstSeed = 3'000'000;  // Training draws seeds from 2^32 on.

using Bytes = std::vector<uint8_t>;

size_t Place(int x, int y, int channel, int width) { return (static_cast<size_t>(y) * width + x) * 3 + channel; }

// The mean of each 2 x 2 pixels, as in training.
Bytes Halved(const Bytes& large) {
  Bytes small;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (int channel = 0; channel < 3; ++channel) {
        int sum = 0;
        for (const int dy : {0, 1}) {
          for (const int dx : {0, 1}) sum += large[Place(2 * x + dx, 2 * y + dy, channel, 2 * kWidth)];
        }
        small.push_back(static_cast<uint8_t>((sum + 2) / 4));
      }
    }
  }
  return small;
}

Bytes Repeated(const Bytes& small) {
  Bytes large;
  for (int y = 0; y < 2 * kHeight; ++y) {
    for (int x = 0; x < 2 * kWidth; ++x) {
      for (int channel = 0; channel < 3; ++channel) large.push_back(small[Place(x / 2, y / 2, channel, kWidth)]);
    }
  }
  return large;
}

TEST(DemoUpscaleTest, ScenesThatItNeverSawComeOutSharper) {
  const std::string folder = EmptyFolder("scenes");
  std::vector<Bytes> exact, repeated;
  std::string inputs;
  for (int i = 0; i < kScenes; ++i) {
    exact.push_back(DrawScene(RandomScene(kFirstSeed + i), 2 * kWidth, 2 * kHeight, /*samples=*/2).rgb());
    const Bytes small = Halved(exact.back());
    repeated.push_back(Repeated(small));
    const auto png = EncodePng(kWidth, kHeight, absl::MakeConstSpan(small), {});
    ASSERT_OK(png);
    std::ofstream(absl::StrCat(folder, "/", i, ".png"), std::ios::binary) << *png;
    absl::StrAppend(&inputs, i == 0 ? "" : ",", i, ".png");
  }
  const ToolResult result =
      RunWarmTool("predict", {"--model=demo_upscale", "--input=" + inputs, "--out=large_*.png"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, testing::Not(HasSubstr("SEEDED")));
  double gain = 0, reached = 0, gain_swapped = 0, gain_shifted = 0;
  for (int i = 0; i < kScenes; ++i) {
    const auto read = ReadImage(absl::StrCat(folder, "/large_", i, ".png"), 1000000);
    ASSERT_OK(read);
    const Bytes& large = *std::get_if<Bytes>(&read->image.pixels);
    const double own = Psnr(exact[i], large), least = Psnr(exact[i], repeated[i]);
    reached += own / kScenes;
    gain += (own - least) / kScenes;
    gain_swapped += (Psnr(exact[i], WithRedAsBlue(large)) - least) / kScenes;
    gain_shifted += (Psnr(exact[i], ShiftedByAPixel(large, 2 * kWidth)) - least) / kScenes;
  }
  std::printf("%.2f dB, %.2f more than repeated pixels; red as blue %.2f, shifted by a pixel %.2f\n", reached, gain,
              gain_swapped, gain_shifted);
  // Of 100 scenes the mean gain is 5.6 dB (examples/demo/README.md).
  EXPECT_GT(gain, 4);
  // The measure tells faults.
  EXPECT_LT(gain_swapped, 0);
  EXPECT_LT(gain_shifted, 0);
}

}  // namespace
}  // namespace modelport
