#ifndef MODELPORT_TOOLS_IMAGE_PICTURE_H_
#define MODELPORT_TOOLS_IMAGE_PICTURE_H_

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

namespace modelport {

// Where an image lies on its plate, as EXR files state it: the first pixel of the display window, and how wide a pixel
// is for its height.
struct Plate {
  int left = 0;
  int top = 0;
  float pixel_aspect = 1;
};

// An upright image in sRGB: rows from the top, pixels from the left, R G B of each. Bytes are 0..255, floats 0..1.
struct Image {
  int width = 0;
  int height = 0;
  std::variant<std::vector<uint8_t>, std::vector<float>> pixels = {};
  Plate plate = {};
};

// The note on an image of which the colours alone were read.
inline constexpr char kAlphaIgnored[] = "alpha ignored";

using Rgb = std::array<uint8_t, 3>;

// A picture to be drawn on: sRGB bytes, row by row.
class Picture {
 public:
  // A picture of one colour.
  Picture(int width, int height, Rgb colour);

  // An image as a picture; floats are rounded.
  explicit Picture(const Image& image);

  int width() const { return width_; }
  int height() const { return height_; }
  const std::vector<uint8_t>& rgb() const { return rgb_; }

  // The pixel in column `x` and row `y`, both inside.
  Rgb Get(int x, int y) const;
  void Set(int x, int y, Rgb colour);

  // Copies `part` with its first pixel at `x`, `y`. What lies outside is left out.
  void Paste(int x, int y, const Picture& part);

 private:
  int width_;
  int height_;
  std::vector<uint8_t> rgb_;
};

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_PICTURE_H_
