#include "common/tensor/image_size.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace modelport {
namespace {

// The side that `text` writes in digits, or 0.
int64_t ParseSide(absl::string_view text) {
  int64_t side = 0;
  // SimpleAtoi also takes signs and spaces.
  const bool is_side = std::all_of(text.begin(), text.end(), absl::ascii_isdigit) && absl::SimpleAtoi(text, &side);
  return is_side && side <= kMaxImageSide ? side : 0;
}

}  // namespace

absl::optional<ImageSize> ParseImageSize(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> sides = absl::StrSplit(text, absl::MaxSplits('x', 1));
  const ImageSize size = {ParseSide(sides.first), ParseSide(sides.second)};
  if (size.height == 0 || size.width == 0 || size.height * size.width > kMaxImagePixels) return absl::nullopt;
  return size;
}

std::string ImageSizeString(const ImageSize& size) { return absl::StrCat(size.height, "x", size.width); }

}  // namespace modelport
