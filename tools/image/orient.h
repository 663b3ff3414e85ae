#ifndef MODELPORT_TOOLS_IMAGE_ORIENT_H_
#define MODELPORT_TOOLS_IMAGE_ORIENT_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace modelport {

// Copies the `width` x `height` RGB pixels at `stored` in upright order. `orientation` is where their first row and
// column belong: 1 top, left; 2 top, right; 3 bottom, right; 4 bottom, left; 5 left, top; 6 right, top; 7 right,
// bottom; 8 left, bottom. From 5 on, width and height of the result are exchanged.
template <typename T>
std::vector<T> CopyUpright(const T* stored, int64_t width, int64_t height, int orientation) {
  const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool exchanged = orientation >= 5;
  std::vector<T> upright;
  upright.reserve(width * height * 3);
  for (int64_t y = 0; y < (exchanged ? width : height); ++y) {
    for (int64_t x = 0; x < (exchanged ? height : width); ++x) {
      int64_t column = exchanged ? y : x, row = exchanged ? x : y;
      if (from_right) column = width - 1 - column;
      if (from_bottom) row = height - 1 - row;
      const T* const pixel = stored + (row * width + column) * 3;
      upright.insert(upright.end(), pixel, pixel + 3);
    }
  }
  return upright;
}

// The orientation, 1..8, that EXIF data states; 1 if they state none. `exif` begins with "Exif\0\0".
int ExifOrientation(absl::string_view exif);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_ORIENT_H_
