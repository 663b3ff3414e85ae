#include "docs/pictures/texture.h"

#include <cmath>

#include "docs/pictures/random_numbers.h"

namespace modelport {
namespace {

// The random number of a corner of the grid in which noise is smooth.
double Corner(uint64_t seed, int64_t x, int64_t y, int64_t z) {
  const uint64_t place = static_cast<uint64_t>(x) * 0x8da6b343 + static_cast<uint64_t>(y) * 0xd8163841 +
                         static_cast<uint64_t>(z) * 0xcb1ab31f;
  return ToFraction(Scramble(seed + place));
}

double Smooth(double part) { return part * part * (3 - 2 * part); }

double Mix(double a, double b, double part) { return a + (b - a) * part; }

double Noise(uint64_t seed, Vector point) {
  const double x = std::floor(point.x), y = std::floor(point.y), z = std::floor(point.z);
  const auto along_x = [&](int64_t dy, int64_t dz) {
    const auto i = static_cast<int64_t>(x), j = static_cast<int64_t>(y) + dy, k = static_cast<int64_t>(z) + dz;
    return Mix(Corner(seed, i, j, k), Corner(seed, i + 1, j, k), Smooth(point.x - x));
  };
  const double part_y = Smooth(point.y - y);
  return Mix(Mix(along_x(0, 0), along_x(1, 0), part_y), Mix(along_x(0, 1), along_x(1, 1), part_y), Smooth(point.z - z));
}

bool IsOdd(double number) { return std::floor(number) != 2 * std::floor(number / 2); }

}  // namespace

Vector ColourAt(const Texture& texture, Vector point) {
  const Vector place = point * (1 / texture.size);
  switch (texture.pattern) {
    case Texture::Pattern::kPlain:
      return texture.first;
    case Texture::Pattern::kTiles:
      return IsOdd(std::floor(place.x) + std::floor(place.y) + std::floor(place.z)) ? texture.second : texture.first;
    case Texture::Pattern::kStripes:
      return IsOdd(place.x) ? texture.second : texture.first;
    case Texture::Pattern::kNoise: {
      const double coarse = Noise(texture.seed, place), fine = Noise(texture.seed + 1, place * 3);
      return modelport::Mix(texture.first, texture.second, 0.7 * coarse + 0.3 * fine);
    }
  }
  return texture.first;
}

}  // namespace modelport
