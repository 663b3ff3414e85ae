// How near an image of 8 bits is to another one, and images that a measure of it has to tell from right ones.
#ifndef MODELPORT_TESTS_SUPPORT_COMPARE_IMAGES_H_
#define MODELPORT_TESTS_SUPPORT_COMPARE_IMAGES_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace modelport {

// Peak signal-to-noise ratio in dB of bytes 0 to 255.
inline double Psnr(const std::vector<uint8_t>& expected, const std::vector<uint8_t>& actual) {
  EXPECT_EQ(expected.size(), actual.size());
  double squares = 0;
  for (size_t i = 0; i < expected.size() && i < actual.size(); ++i) {
    squares += std::pow(static_cast<double>(expected[i]) - actual[i], 2);
  }
  return 10 * std::log10(255.0 * 255.0 * static_cast<double>(expected.size()) / squares);
}

// What a host shows that takes red for blue. `image` has red, green and blue of each pixel.
inline std::vector<uint8_t> WithRedAsBlue(std::vector<uint8_t> image) {
  for (size_t i = 0; i + 2 < image.size(); i += 3) std::swap(image[i], image[i + 2]);
  return image;
}

// What a model gives whose padding is wrong: each pixel stands to the right of its place. `width` is that of the image.
inline std::vector<uint8_t> ShiftedByAPixel(const std::vector<uint8_t>& image, int width) {
  std::vector<uint8_t> shifted;
  for (size_t i = 0; i < image.size(); ++i) {
    const bool is_first = i / 3 % static_cast<size_t>(width) == 0;
    shifted.push_back(image[is_first ? i : i - 3]);
  }
  return shifted;
}

}  // namespace modelport

#endif  // MODELPORT_TESTS_SUPPORT_COMPARE_IMAGES_H_
