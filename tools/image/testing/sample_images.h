// Image files of many kinds, for tests. Their pixels come from SampleValue.
#ifndef MODELPORT_TOOLS_IMAGE_TESTING_SAMPLE_IMAGES_H_
#define MODELPORT_TOOLS_IMAGE_TESTING_SAMPLE_IMAGES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace modelport {

// The value, 0..255, of channel `channel` of the pixel in column `x` and row `y`. Blocks of 8 x 8 pixels are equal, so
// that JPEG keeps them.
int SampleValue(int x, int y, int channel);

struct SampleJpeg {
  int width = 16;
  int height = 16;
  int channels = 3;     // 1: grey, 3: RGB, 4: CMYK as Adobe writes it, inverted.
  int orientation = 0;  // In EXIF data; 0: none.
  bool progressive = false;
  bool many_scans = false;  // Progressive, with a scan for each coefficient of each channel.
  bool profile = false;     // An ICC profile, of some bytes.
};
std::string MakeJpeg(const SampleJpeg& sample);

struct SamplePng {
  int width = 16;
  int height = 16;
  int colours = 2;      // As in the file: 0 grey, 2 RGB, 3 palette, 4 grey with alpha, 6 RGB with alpha.
  int bits = 8;         // 8 or 16. A sample of 16 bits is SampleValue * 257.
  int orientation = 0;  // In an eXIf chunk; 0: none.
  bool interlaced = false;
  double gamma = 0;        // In a gAMA chunk; 0: none.
  bool srgb = false;       // An sRGB chunk.
  bool primaries = false;  // Those of Rec. 2020, in a cHRM chunk.
  std::string cicp = {};   // The four bytes of a cICP chunk; empty: none.
};
std::string MakePng(const SamplePng& sample);

struct SampleTiff {
  int width = 16;
  int height = 16;
  int channels = 3;  // 1: grey, 2: grey and alpha, 3: RGB, 4: RGB with alpha or, with `inks`, CMYK.
  int bits = 8;      // 8, 16, or 32: floats, SampleValue / 255.
  int orientation = 1;
  int pages = 1;
  bool inks = false;
  float alpha = 255;   // Of each pixel with alpha, which is straight: the colours are not multiplied by it.
  bool stated = true;  // Alpha is called that; else it is a channel of which nothing is said.
  bool sign = false;   // The samples are called signed.
  bool tiles = false;  // Of 16 x 16 pixels.
  bool jpeg = false;   // Compressed as JPEG.
};
std::string MakeTiff(const SampleTiff& sample);

// An EXR file. `values` are those of all channels, one channel after the other.
struct SampleExr {
  int width = 2;  // Of the data window.
  int height = 2;
  std::vector<std::string> channels = {"R", "G", "B"};
  std::vector<float> values = {};
  int left = 0;  // Of the data window.
  int top = 0;
  int display_width = 0;  // 0: the data window is the display window.
  int display_height = 0;
  int display_left = 0;
  int display_top = 0;
  std::vector<float> primaries = {};  // x and y of red, green, blue and white; empty: the file states none.
  float pixel_aspect = 1;
};
std::string MakeExr(const SampleExr& sample);

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_TESTING_SAMPLE_IMAGES_H_
