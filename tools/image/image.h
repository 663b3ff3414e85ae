#ifndef MODELPORT_TOOLS_IMAGE_IMAGE_H_
#define MODELPORT_TOOLS_IMAGE_IMAGE_H_

#include <cstdint>
#include <variant>
#include <vector>

namespace modelport {

// An upright image in sRGB: rows from the top, pixels from the left, R G B of each. Bytes are 0..255, floats 0..1.
struct Image {
  int width = 0;
  int height = 0;
  std::variant<std::vector<uint8_t>, std::vector<float>> pixels;
};

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_IMAGE_H_
