#ifndef MODELPORT_DOCS_PICTURES_SCENE_H_
#define MODELPORT_DOCS_PICTURES_SCENE_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "docs/pictures/solid.h"
#include "docs/pictures/texture.h"
#include "docs/pictures/vector.h"

namespace modelport {

// Four walls about the camera, along the axes, with a ceiling or open above. Their feet are on the floor.
struct Room {
  double left = 0, right = 0, behind = 0, back = 0;  // x of two walls, z of the others.
  double height = 0;
  bool has_ceiling = false;
  Texture walls, ceiling;
};

// One light, from a direction or a place, and the even light of all around.
struct Light {
  bool is_lamp = false;
  Vector where;         // The unit vector towards the sun, or the place of the lamp.
  double strength = 0;  // Of a surface that faces it; of a lamp, one that is near.
  double around = 0;
};

// The camera stands at x = z = 0. At distance 1 its picture is 1.25 wide, whatever its height.
struct Camera {
  double height = 0;  // In metres.
  Vector forward;     // A unit vector.
};

// Things on the floor y = 0, and what is around them. Colours are sRGB, about: squares of them are linear.
struct Scene {
  Camera camera;
  Light light;
  std::vector<Solid> solids;
  absl::optional<Room> room;
  Texture floor;
  Vector horizon, zenith;  // The colours of the sky.
  double haze = 0;         // Half of the light comes through so many metres of air.
};

// The scene of docs/pictures/scene.png.
inline constexpr uint64_t kPictureSeed = 64;

// A random scene, the same for the same seed on every machine: balls, boxes and cylinders on a floor, in the open,
// before a wall, in a yard or in a room. The camera stands 1.1 to 1.5 m above the floor and looks down a little, so
// that the place where a thing meets the floor tells how far it is.
Scene RandomScene(uint64_t seed);

// The scene at `time`; at 0 it is `scene` itself. Each solid that does not stay moves along a straight line at a
// constant speed, both as `seed` has it; a fifth of them stand still. From time 0 to 1 it moves by at most 0.117 of its
// distance from the camera: sideways by 24 pixels of a picture 256 wide. Solids pass through one another and through
// walls.
Scene Moved(Scene scene, uint64_t seed, double time);

}  // namespace modelport

#endif  // MODELPORT_DOCS_PICTURES_SCENE_H_
