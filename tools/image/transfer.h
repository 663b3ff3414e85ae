#ifndef MODELPORT_TOOLS_IMAGE_TRANSFER_H_
#define MODELPORT_TOOLS_IMAGE_TRANSFER_H_

#include <algorithm>
#include <cmath>

namespace modelport {

// The sRGB value, 0..1, of a scene-linear one (IEC 61966-2-1). Values beyond 0..1 are clipped; NaN becomes 0.
inline float LinearToSrgb(float linear) {
  if (!(linear > 0)) return 0;
  const float clipped = std::min(linear, 1.0f);
  return clipped <= 0.0031308f ? 12.92f * clipped : 1.055f * std::pow(clipped, 1 / 2.4f) - 0.055f;
}

// The scene-linear value of an sRGB one, both 0..1.
inline double SrgbToLinear(double srgb) {
  return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4);
}

}  // namespace modelport

#endif  // MODELPORT_TOOLS_IMAGE_TRANSFER_H_
