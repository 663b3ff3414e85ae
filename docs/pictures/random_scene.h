#ifndef MODELPORT_DOCS_PICTURES_RANDOM_SCENE_H_
#define MODELPORT_DOCS_PICTURES_RANDOM_SCENE_H_

#include <cstdint>

#include "docs/pictures/scene.h"

namespace modelport {

// The scene of docs/pictures/scene.png.
inline constexpr uint64_t kPictureSeed = 64;

// A random scene, the same for the same seed on every machine: balls, boxes and cylinders on a floor, in the open,
// before a wall, in a yard or in a room. The camera stands 1.1 to 1.5 m above the floor and looks down a little, so
// that the place where a thing meets the floor tells how far it is.
Scene RandomScene(uint64_t seed);

}  // namespace modelport

#endif  // MODELPORT_DOCS_PICTURES_RANDOM_SCENE_H_
