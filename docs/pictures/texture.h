#ifndef MODELPORT_DOCS_PICTURES_TEXTURE_H_
#define MODELPORT_DOCS_PICTURES_TEXTURE_H_

#include <cstdint>

#include "docs/pictures/vector.h"

namespace modelport {

// What a surface is painted with: a pattern in space, which the surface cuts.
struct Texture {
  enum class Pattern { kPlain, kTiles, kStripes, kNoise };

  Pattern pattern = Pattern::kPlain;
  Vector first, second;  // Its two colours, sRGB; a plain surface has the first.
  double size = 1;       // Of a tile, a stripe or a patch of noise, in metres.
  uint64_t seed = 0;     // Of the noise.
};

// The colour at a point that is given in the coordinates of the surface.
Vector ColourAt(const Texture& texture, Vector point);

}  // namespace modelport

#endif  // MODELPORT_DOCS_PICTURES_TEXTURE_H_
