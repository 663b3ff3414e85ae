#include "tools/predict/run/work_size.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/text/units.h"

namespace modelport {
namespace {

// A run of 20 megapixels takes hours on a CPU, and tens of gigabytes.
constexpr double kMostPixels = 20e6, kMostUnasked = 4e6;
constexpr double kPixelsOfAToken = 14 * 14;

// The pixels that the model sees for `size`.
double Pixels(SizeRule rule, double size, double aspect) {
  switch (rule) {
    case SizeRule::kShorterSide:
      return size * size * aspect;
    case SizeRule::kLongerSide:
      return size * size / aspect;
    case SizeRule::kSquareSide:
      return size * size;
    case SizeRule::kTokens:
      return size * kPixelsOfAToken;
  }
  return 0;
}

// The largest size for which these are at most `pixels`.
int64_t SizeFor(SizeRule rule, double pixels, double aspect) {
  if (rule == SizeRule::kTokens) return static_cast<int64_t>(pixels / kPixelsOfAToken);
  if (rule == SizeRule::kSquareSide) return static_cast<int64_t>(std::sqrt(pixels));
  return static_cast<int64_t>(std::sqrt(rule == SizeRule::kShorterSide ? pixels / aspect : pixels * aspect));
}

}  // namespace

absl::optional<SizeRule> FindSizeRule(absl::string_view argument) {
  if (argument == "input_size" || argument == "size") return SizeRule::kShorterSide;
  if (argument == "process_res" || argument == "max_size") return SizeRule::kLongerSide;
  if (argument == "side") return SizeRule::kSquareSide;
  if (argument == "num_tokens") return SizeRule::kTokens;
  return absl::nullopt;
}

absl::Status CheckWorkSize(SizeRule rule, absl::optional<int64_t> size, int64_t usual, int width, int height) {
  // A model without a size of its own keeps the image's shape, whose longer side becomes the size that is asked for.
  if (rule == SizeRule::kSquareSide && usual == 0) rule = SizeRule::kLongerSide;
  constexpr double kOwn = 1024;
  const double aspect = static_cast<double>(std::max(width, height)) / std::max(1, std::min(width, height));
  const double asked = static_cast<double>(size.value_or(usual));
  const double pixels = asked > 0 ? Pixels(rule, asked, aspect) : static_cast<double>(width) * height;
  const double square = usual > 0 ? Pixels(rule, static_cast<double>(usual), 1) : kOwn * kOwn;
  const double most = size ? kMostPixels : std::max(kMostUnasked, square);
  if (pixels <= most) return absl::OkStatus();
  const double times = pixels / square;
  std::string message = absl::StrFormat(
      "the model would see %s pixels of this image of %d x %d, %.0f times those of a square one: that takes %.0f times "
      "as long and more, since the time of attention grows with the square\n  ",
      FormatCount(pixels), width, height, times, times);
  const int64_t largest = SizeFor(rule, kMostPixels, aspect);
  if (size) {
    return absl::ResourceExhaustedError(
        absl::StrCat("--size=", *size, ": ", message, "--size=", largest, " is the most for this image"));
  }
  absl::StrAppend(&message, "--size=", std::max<int64_t>(1, SizeFor(rule, square, aspect)),
                  " gives it the pixels of a square one");
  const int64_t own = usual > 0 ? usual : std::max(width, height);
  if (own <= largest) absl::StrAppend(&message, "; --size=", own, " runs it all the same");
  return absl::ResourceExhaustedError(message);
}

}  // namespace modelport
