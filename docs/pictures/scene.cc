#include "docs/pictures/scene.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "docs/pictures/random_numbers.h"

namespace modelport {
namespace {

// Where things are: on the floor, as seen from the camera.
struct Ground {
  Vector ahead, right;  // Level unit vectors.

  Vector At(double x, double z) const { return right * x + ahead * z; }
};

Vector Grey(double value) { return {value, value, value}; }

// A strong colour: one part bright, one dark, and one between, in any order.
Vector StrongColour(RandomNumbers& random) {
  double parts[] = {random.Between(0.65, 0.97), random.Between(0.10, 0.40), random.Between(0.15, 0.85)};
  for (int i = 2; i > 0; --i) std::swap(parts[i], parts[random.Bits() % (i + 1)]);
  return {parts[0], parts[1], parts[2]};
}

// A colour as of stone, wood or plaster.
Vector PaleColour(RandomNumbers& random, double least, double most) {
  return Mix(Grey(random.Between(least, most)), StrongColour(random), random.Between(0, 0.3));
}

// The patterns of a kind of surface, each with the part of all numbers in 0..1 below which it is drawn.
using Shares = std::vector<std::pair<double, Texture::Pattern>>;

Texture::Pattern RandomPattern(RandomNumbers& random, const Shares& shares) {
  const double kind = random.Between(0, 1);
  return std::find_if(shares.begin(), shares.end() - 1, [kind](const auto& share) { return kind < share.first; })
      ->second;
}

Texture FloorTexture(RandomNumbers& random) {
  using Pattern = Texture::Pattern;
  // Most floors have tiles, whose rows lead into the distance.
  const Pattern pattern = RandomPattern(
      random, {{0.55, Pattern::kTiles}, {0.75, Pattern::kStripes}, {0.92, Pattern::kNoise}, {1, Pattern::kPlain}});
  const Vector bright = PaleColour(random, 0.60, 0.92);
  const Vector dark = random.Chance(0.5) ? PaleColour(random, 0.25, 0.55) : bright * random.Between(0.5, 0.85);
  return {pattern, bright, dark, random.Between(0.4, 1.2), random.Bits()};
}

Texture WallTexture(RandomNumbers& random) {
  using Pattern = Texture::Pattern;
  const Pattern pattern = RandomPattern(
      random, {{0.45, Pattern::kPlain}, {0.65, Pattern::kNoise}, {0.85, Pattern::kStripes}, {1, Pattern::kTiles}});
  const Vector colour = PaleColour(random, 0.50, 0.92);
  return {pattern, colour, colour * random.Between(0.6, 0.92), random.Between(0.2, 0.9), random.Bits()};
}

Texture ThingTexture(RandomNumbers& random) {
  using Pattern = Texture::Pattern;
  const Pattern pattern = RandomPattern(
      random, {{0.60, Pattern::kPlain}, {0.75, Pattern::kNoise}, {0.88, Pattern::kStripes}, {1, Pattern::kTiles}});
  const Vector colour = random.Chance(0.85) ? StrongColour(random) : PaleColour(random, 0.2, 0.9);
  const Vector other = random.Chance(0.5) ? StrongColour(random) : colour * random.Between(0.4, 0.7);
  return {pattern, colour, other, random.Between(0.12, 0.5), random.Bits()};
}

Room RandomRoom(RandomNumbers& random) {
  Room room;
  room.left = -random.Between(1.6, 6);
  room.right = random.Between(1.6, 6);
  room.behind = -random.Between(1, 3);
  room.back = random.Between(4, 15);
  room.has_ceiling = random.Chance(0.7);
  room.height = random.Between(room.has_ceiling ? 2.3 : 1.7, room.has_ceiling ? 4.0 : 3.5);
  room.walls = WallTexture(random);
  room.ceiling = {Texture::Pattern::kPlain, PaleColour(random, 0.7, 0.95), {}};
  return room;
}

// A wall that stands in the open.
Solid RandomWall(RandomNumbers& random, const Ground& ground) {
  const Vector half = {random.Between(1.5, 8), random.Between(0.5, 2.2), random.Between(0.08, 0.3)};
  const Vector place = ground.At(random.Between(-4, 4), random.Between(6, 17));
  const Vector side = ground.At(1, random.Between(-0.8, 0.8));
  Solid wall = MakeBox({place.x, half.y, place.z}, half, side, WallTexture(random));
  wall.stays = true;
  return wall;
}

// A thing that has this radius, seen from above.
Solid RandomThing(RandomNumbers& random, Vector place, double radius) {
  const double kind = random.Between(0, 1);
  const Texture texture = ThingTexture(random);
  if (kind < 0.45) return MakeBall({place.x, radius, place.z}, radius, texture);
  // Half of the height.
  const double half = std::min(radius * random.Between(0.4, 1.8), 1.5);
  if (kind < 0.70) {
    const double thin = radius * random.Between(0.5, 0.9);
    return MakeCylinder({place.x, half, place.z}, thin, half, texture);
  }
  // A box whose corners are within the radius.
  const Vector corner = Unit({random.Between(0.4, 1), 0, random.Between(0.4, 1)}) * radius;
  return MakeBox({place.x, half, place.z}, {corner.x, half, corner.z}, {1, 0, random.Between(-1, 1)}, texture);
}

bool IsFree(const Scene& scene, Vector place, double radius) {
  if (scene.room) {
    const Room& room = *scene.room;
    if (place.x - radius < room.left || place.x + radius > room.right || place.z + radius > room.back) return false;
  }
  return std::none_of(scene.solids.begin(), scene.solids.end(),
                      [&](const Solid& solid) { return Overlaps(solid, place, radius); });
}

void AddThings(RandomNumbers& random, const Ground& ground, Scene& scene) {
  const int wanted = 2 + static_cast<int>(random.Bits() % 8);
  const double far = scene.room ? scene.room->back : 17;
  for (int i = 0; i < wanted; ++i) {
    // More of them are near, where they are large in the picture.
    const double part = random.Between(0, 1);
    const double z = 2.2 + (far - 2.2) * part * part;
    const double radius = std::clamp(z * random.Between(0.05, 0.2), 0.15, 1.8);
    const Vector place = ground.At(z * random.Between(-0.62, 0.62), z);
    if (z - radius > 1.3 && IsFree(scene, place, radius)) scene.solids.push_back(RandomThing(random, place, radius));
  }
}

Light RandomSun(RandomNumbers& random) {
  const Vector sun = Unit({random.Between(-1, 1), random.Between(0.5, 1.3), random.Between(-1, 0.4)});
  return {false, sun, random.Between(0.6, 1.05), random.Between(0.22, 0.42)};
}

Light RandomLamp(RandomNumbers& random, const Room& room) {
  const Vector lamp = {Mix({room.left}, {room.right}, random.Between(0.2, 0.8)).x, room.height - 0.25,
                       random.Between(0.5, room.back - 1)};
  return {true, lamp, random.Between(0.7, 1.2), random.Between(0.25, 0.45)};
}

}  // namespace

Scene RandomScene(uint64_t seed) {
  RandomNumbers random(seed);
  Scene scene;
  scene.camera = {random.Between(1.1, 1.5), Unit({random.Between(-0.35, 0.35), -random.Between(0.02, 0.20), 1})};
  const Vector ahead = Unit({scene.camera.forward.x, 0, scene.camera.forward.z});
  const Ground ground = {ahead, Cross({0, 1, 0}, ahead)};
  scene.floor = FloorTexture(random);
  scene.horizon = Mix({0.68, 0.78, 0.88}, PaleColour(random, 0.6, 0.95), random.Between(0, 0.6));
  scene.zenith = Mix({0.12, 0.30, 0.62}, PaleColour(random, 0.2, 0.8), random.Between(0, 0.6));
  scene.haze = random.Between(40, 80);
  const double around = random.Between(0, 1);
  if (around < 0.45) scene.room = RandomRoom(random);
  if (around > 0.75) scene.solids.push_back(RandomWall(random, ground));
  const bool has_ceiling = scene.room && scene.room->has_ceiling;
  if (has_ceiling) scene.haze = 1000;
  scene.light = has_ceiling ? RandomLamp(random, *scene.room) : RandomSun(random);
  AddThings(random, ground, scene);
  return scene;
}

Scene Moved(Scene scene, uint64_t seed, double time) {
  // Other numbers than those that made the scene.
  RandomNumbers random(~seed);
  const double fastest = 0.117 * random.Between(0.1, 1);
  for (Solid& solid : scene.solids) {
    if (solid.stays) continue;
    const double rise = random.Chance(0.3) ? random.Between(0, 1) : 0;
    const Vector direction = Unit({random.Between(-1, 1), rise, random.Between(-1, 1)});
    const double speed = random.Chance(0.2) ? 0 : fastest * random.Between(0.2, 1);
    const double distance = Length({solid.centre.x, 0, solid.centre.z});
    solid.centre = solid.centre + direction * (speed * distance * time);
  }
  return scene;
}

}  // namespace modelport
