#include "tools/image/picture.h"

#include <algorithm>
#include <cmath>

namespace modelport {

Picture::Picture(int width, int height, Rgb colour) : width_(width), height_(height) {
  rgb_.reserve(int64_t{3} * width * height);
  for (int64_t i = 0; i < int64_t{width} * height; ++i) rgb_.insert(rgb_.end(), colour.begin(), colour.end());
}

Picture::Picture(const Image& image) : width_(image.width), height_(image.height) {
  if (const auto* const bytes = std::get_if<std::vector<uint8_t>>(&image.pixels)) rgb_ = *bytes;
  if (const auto* const floats = std::get_if<std::vector<float>>(&image.pixels)) {
    rgb_.reserve(floats->size());
    for (const float value : *floats) rgb_.push_back(static_cast<uint8_t>(std::lround(value * 255)));
  }
}

Rgb Picture::Get(int x, int y) const {
  const uint8_t* const pixel = &rgb_[(int64_t{y} * width_ + x) * 3];
  return {pixel[0], pixel[1], pixel[2]};
}

void Picture::Set(int x, int y, Rgb colour) {
  std::copy(colour.begin(), colour.end(), &rgb_[(int64_t{y} * width_ + x) * 3]);
}

void Picture::Paste(int x, int y, const Picture& part) {
  for (int row = std::max(0, -y); row < part.height_ && y + row < height_; ++row) {
    for (int column = std::max(0, -x); column < part.width_ && x + column < width_; ++column) {
      Set(x + column, y + row, part.Get(column, row));
    }
  }
}

}  // namespace modelport
