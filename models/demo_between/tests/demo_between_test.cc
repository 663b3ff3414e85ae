// demo_between does its job: frames that it makes of scenes that it never saw are nearer to the drawn frames than a
// blend of both images is.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_format.h"
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
#include "tools/image/testing/read_exr.h"

namespace modelport {
namespace {

using testing::HasSubstr;

constexpr int kWidth = 256, kHeight = 192;
constexpr int kScenes = 8;
constexpr uint64_t kFirstSeed = 3'000'000;  // Training draws seeds from 2^32 on.

using Bytes = std::vector<uint8_t>;

Bytes Drawn(uint64_t seed, double time) {
  return DrawScene(Moved(RandomScene(seed), seed, time), kWidth, kHeight, /*samples=*/2).rgb();
}

// The mean of both images, the nearer one counting more.
Bytes Blended(const Bytes& first, const Bytes& second, double time) {
  Bytes blended;
  for (size_t i = 0; i < first.size(); ++i) {
    blended.push_back(static_cast<uint8_t>(first[i] * (1 - time) + second[i] * time + 0.5));
  }
  return blended;
}

// The images that predict made of the images 1, 2, ... when it made three between each two of them: `place` 1 to 3 of
// those between the images of a scene.
Bytes Made(const std::string& folder, int scene, int place) {
  const auto read = ReadImage(absl::StrFormat("%s/made.%04d.png", folder, 1 + 8 * scene + place), 1000000);
  EXPECT_OK(read);
  return read.ok() ? *std::get_if<Bytes>(&read->image.pixels) : Bytes();
}

TEST(DemoBetweenTest, FramesOfScenesThatItNeverSawAreNearerThanABlend) {
  const std::string folder = EmptyFolder("frames");
  for (int i = 0; i < kScenes; ++i) {
    for (const int end : {0, 1}) {
      const auto png = EncodePng(kWidth, kHeight, absl::MakeConstSpan(Drawn(kFirstSeed + i, end)), {});
      ASSERT_OK(png);
      const std::string path = absl::StrFormat("%s/drawn.%04d.png", folder, 1 + 2 * i + end);
      std::ofstream(path, std::ios::binary) << *png;
    }
  }
  // It also makes frames between two scenes, which nobody looks at.
  const ToolResult result = RunWarmTool(
      "predict", {"--model=demo_between", "--input=drawn.%04d.png", "--between=3", "--out=made.%04d.png"}, folder);
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, testing::Not(HasSubstr("SEEDED")));

  // Means over scenes of what is above a blend, in dB.
  double gain = 0, early = 0, swapped = 0, shifted = 0, reversed = 0;
  for (int i = 0; i < kScenes; ++i) {
    const Bytes first = Drawn(kFirstSeed + i, 0), second = Drawn(kFirstSeed + i, 1);
    const Bytes half = Drawn(kFirstSeed + i, 0.5), quarter = Drawn(kFirstSeed + i, 0.25);
    const double least = Psnr(half, Blended(first, second, 0.5));
    const double least_early = Psnr(quarter, Blended(first, second, 0.25));
    const Bytes made = Made(folder, i, 2);
    gain += (Psnr(half, made) - least) / kScenes;
    swapped += (Psnr(half, WithRedAsBlue(made)) - least) / kScenes;
    shifted += (Psnr(half, ShiftedByAPixel(made, kWidth)) - least) / kScenes;
    early += (Psnr(quarter, Made(folder, i, 1)) - least_early) / kScenes;
    reversed += (Psnr(quarter, Made(folder, i, 3)) - least_early) / kScenes;
  }
  std::printf(
      "above a blend, dB: at 0.5 %.2f, at 0.25 %.2f; red as blue %.2f, shifted by a pixel %.2f, time reversed %.2f\n",
      gain, early, swapped, shifted, reversed);
  // Of 100 scenes the means are 5.5 and 4.5 dB (examples/demo/README.md).
  EXPECT_GT(gain, 4);
  EXPECT_GT(early, 3);
  // The measure tells faults.
  EXPECT_LT(swapped, 0);
  EXPECT_LT(shifted, 0);
  EXPECT_LT(reversed, 0);
}

// The image `next` at the places that motion (right, up) leads to, each as its nearest pixel.
Bytes Fetched(const Bytes& next, const std::vector<float>& right, const std::vector<float>& up, double sign_of_up) {
  Bytes fetched;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const size_t i = static_cast<size_t>(y) * kWidth + x;
      const int from_x = std::clamp(static_cast<int>(std::lround(x + right[i])), 0, kWidth - 1);
      const int from_y = std::clamp(static_cast<int>(std::lround(y - sign_of_up * up[i])), 0, kHeight - 1);
      const size_t from = 3 * (static_cast<size_t>(from_y) * kWidth + from_x);
      fetched.insert(fetched.end(), next.begin() + from, next.begin() + from + 3);
    }
  }
  return fetched;
}

// Motion is in pixels, and leads from the frame between to where the same thing is in the image behind it, and in the
// one before it.
TEST(DemoBetweenTest, MotionLeadsToTheSameThingInBothImages) {
  const std::string folder = EmptyFolder("motion");
  double forward = 0, backward = 0, still = 0, mirrored = 0, exchanged = 0;
  for (int i = 0; i < kScenes; ++i) {
    const Bytes first = Drawn(kFirstSeed + i, 0), half = Drawn(kFirstSeed + i, 0.5), second = Drawn(kFirstSeed + i, 1);
    for (const auto& [name, bytes] : {std::pair("first.png", &first), std::pair("second.png", &second)}) {
      const auto png = EncodePng(kWidth, kHeight, absl::MakeConstSpan(*bytes), {});
      ASSERT_OK(png);
      std::ofstream(folder + "/" + name, std::ios::binary) << *png;
    }
    const ToolResult result = RunWarmTool(
        "predict",
        {"--model=demo_between", "--input=first.png,second.png", "--between=1", "--flow", "--out=motion.exr"}, folder);
    ASSERT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("motion  up to "));
    ExrContent motion = ReadExr(folder + "/motion.exr");
    const std::vector<float>&u = motion.channels["forward.u"], &v = motion.channels["forward.v"];
    const std::vector<float>&back_u = motion.channels["backward.u"], &back_v = motion.channels["backward.v"];
    ASSERT_EQ(u.size(), kWidth * kHeight);
    forward += Psnr(half, Fetched(second, u, v, 1)) / kScenes;
    backward += Psnr(half, Fetched(first, back_u, back_v, 1)) / kScenes;
    still += Psnr(half, second) / kScenes;
    mirrored += Psnr(half, Fetched(second, u, v, -1)) / kScenes;
    exchanged += Psnr(half, Fetched(first, u, v, 1)) / kScenes;
  }
  std::printf("dB: forward %.2f, backward %.2f; without motion %.2f, upside down %.2f, of the other image %.2f\n",
              forward, backward, still, mirrored, exchanged);
  EXPECT_GT(forward, still + 2);
  EXPECT_GT(backward, still + 2);
  // The measure tells faults.
  EXPECT_LT(mirrored, forward - 1);
  EXPECT_LT(exchanged, forward - 2);
}

}  // namespace
}  // namespace modelport
