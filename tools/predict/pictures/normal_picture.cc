#include "tools/predict/pictures/normal_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace modelport {
namespace {

// -1 to 1 as 0 to 255; what is no number as 0 is.
uint8_t Byte(float part) {
  const float value = std::isnan(part) ? 0.0f : std::clamp(part, -1.0f, 1.0f);
  return static_cast<uint8_t>(std::lround((value + 1) / 2 * 255));
}

}  // namespace

Picture DrawNormals(const at::Tensor& normals) {
  const auto values = normals.accessor<float, 3>();
  const int height = static_cast<int>(normals.size(1)), width = static_cast<int>(normals.size(2));
  Picture picture(width, height, {0, 0, 0});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      picture.Set(x, y, {Byte(values[0][y][x]), Byte(-values[1][y][x]), Byte(-values[2][y][x])});
    }
  }
  return picture;
}

}  // namespace modelport
