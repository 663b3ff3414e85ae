#ifndef MODELPORT_TOOLS_IMAGE_ENCODE_PNG_H_
#define MODELPORT_TOOLS_IMAGE_ENCODE_PNG_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace modelport {

// Texts in an image file, each with its key: {"Software", "Modelport"}.
using ImageTexts = std::vector<std::pair<std::string, std::string>>;

// The bytes of a PNG file. `rgb` has 3 bytes for each pixel, row by row; `grey` has one number.
//   InvalidArgument   the number of elements does not agree with the size
//   Internal          libpng fails
absl::StatusOr<std::string> EncodePng(int width, int height, absl::Span<const uint8_t> rgb, const ImageTexts& texts);
absl::StatusOr<std::string> EncodePng(int width, int height, absl::Span<const uint16_t> grey, const ImageTexts& texts);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_ENCODE_PNG_H_
