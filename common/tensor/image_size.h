#ifndef MODELPORT_COMMON_TENSOR_IMAGE_SIZE_H_
#define MODELPORT_COMMON_TENSOR_IMAGE_SIZE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace modelport {

// The size of an image in pixels.
struct ImageSize {
  int64_t height = 0;
  int64_t width = 0;
};

// The largest ImageSize that is read: a file may state one whose tables somebody else has to compute.
inline constexpr int64_t kMaxImageSide = 8192;
inline constexpr int64_t kMaxImagePixels = int64_t{4096} * 4096;

// The size that "518x924" names, the height first; nothing if `text` is no size, or a side is 0 or above kMaxImageSide,
// or there are more than kMaxImagePixels.
absl::optional<ImageSize> ParseImageSize(absl::string_view text);

// "518x924".
std::string ImageSizeString(const ImageSize& size);

}  // namespace modelport

#endif  // MODELPORT_COMMON_TENSOR_IMAGE_SIZE_H_
