#include "docs/pictures/trace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace modelport {
namespace {

// Rays through the pixels of a picture.
class Rays {
 public:
  Rays(const Camera& camera, int width, int height)
      : from_{0, camera.height, 0},
        forward_(camera.forward),
        right_(Unit(Cross({0, 1, 0}, camera.forward))),
        up_(Cross(camera.forward, right_)),
        scale_(kPictureWidth / width),
        middle_x_(width / 2.0),
        middle_y_(height / 2.0) {}

  Vector from() const { return from_; }

  // The ray through a place in pixels. It is 1 long along the axis of the camera.
  Vector At(double x, double y) const {
    return forward_ + right_ * ((x - middle_x_) * scale_) + up_ * ((middle_y_ - y) * scale_);
  }

 private:
  Vector from_, forward_, right_, up_;
  double scale_, middle_x_, middle_y_;
};

// What a ray meets first: a solid, or else the floor, a wall, the ceiling or nothing.
struct Met {
  enum class What { kSky, kFloor, kWallX, kWallZ, kCeiling, kSolid };

  What what = What::kSky;
  double distance = kNever;
  const Solid* solid = nullptr;
};

void MeetRoom(const Room& room, Vector from, Vector to, Met& met) {
  const double x = ((to.x < 0 ? room.left : room.right) - from.x) / to.x;
  const double z = ((to.z < 0 ? room.behind : room.back) - from.z) / to.z;
  const double top = to.y > 0 ? (room.height - from.y) / to.y : kNever;
  const double wall = std::min(to.x == 0 ? kNever : x, to.z == 0 ? kNever : z);
  if (wall < top) {
    if (wall < met.distance) met = {wall == x ? Met::What::kWallX : Met::What::kWallZ, wall};
  } else if (room.has_ceiling && top < met.distance) {
    met = {Met::What::kCeiling, top};
  }
}

// A row of rays, which lie in a plane, and the solids that this plane cuts.
struct Row {
  Row(const Scene& scene, const Rays& rays, double y, int width) : scene(scene), rays(rays), y(y) {
    const Vector normal = Unit(Cross(rays.At(0, y), rays.At(width, y)));
    for (const Solid& solid : scene.solids) {
      if (std::abs(Dot(solid.centre - rays.from(), normal)) < solid.bound * 1.001) solids.push_back(&solid);
    }
  }

  const Scene& scene;
  const Rays& rays;
  double y;
  std::vector<const Solid*> solids;
};

// `to` is a unit vector along a ray of the row.
Met MeetFirst(const Row& row, Vector to) {
  const Vector from = row.rays.from();
  Met met;
  if (to.y < 0) met = {Met::What::kFloor, -from.y / to.y};
  if (row.scene.room) MeetRoom(*row.scene.room, from, to, met);
  for (const Solid* solid : row.solids) {
    const double distance = Meet(*solid, from, to);
    if (distance < met.distance) met = {Met::What::kSolid, distance, solid};
  }
  return met;
}

Vector NormalOf(const Met& met, Vector point, Vector to) {
  switch (met.what) {
    case Met::What::kWallX:
      return {to.x < 0 ? 1.0 : -1.0, 0, 0};
    case Met::What::kWallZ:
      return {0, 0, to.z < 0 ? 1.0 : -1.0};
    case Met::What::kCeiling:
      return {0, -1, 0};
    case Met::What::kSolid:
      return NormalAt(*met.solid, point);
    default:
      return {0, 1, 0};
  }
}

Vector ColourOf(const Scene& scene, const Met& met, Vector point) {
  // Patterns are cut half a tile above the floor and beside a wall, away from the borders of tiles.
  switch (met.what) {
    case Met::What::kWallX:
      return ColourAt(scene.room->walls, {point.z, point.y, scene.room->walls.size / 2});
    case Met::What::kWallZ:
      return ColourAt(scene.room->walls, {point.x, point.y, scene.room->walls.size / 2});
    case Met::What::kCeiling:
      return ColourAt(scene.room->ceiling, {point.x, scene.room->ceiling.size / 2, point.z});
    case Met::What::kSolid:
      return ColourAt(met.solid->texture, ToOwn(*met.solid, point));
    default:
      return ColourAt(scene.floor, {point.x, scene.floor.size / 2, point.z});
  }
}

bool InShadow(const Scene& scene, Vector point, Vector to, double distance) {
  if (scene.room && !scene.room->has_ceiling) {
    Met met;
    MeetRoom(*scene.room, point, to, met);
    if (met.distance < distance) return true;
  }
  return std::any_of(scene.solids.begin(), scene.solids.end(),
                     [&](const Solid& solid) { return Meet(solid, point, to) < distance; });
}

// The light that a point of a surface gets.
double LightAt(const Scene& scene, Vector point, Vector normal) {
  const Light& light = scene.light;
  const double around = light.around * (1 + 0.4 * normal.y);
  Vector to = light.where;
  double distance = kNever, strength = light.strength;
  if (light.is_lamp) {
    to = light.where - point;
    distance = Length(to);
    to = to * (1 / distance);
    strength /= 1 + distance * distance / 16;
  }
  const double facing = Dot(normal, to);
  if (facing <= 0 || InShadow(scene, point, to, distance)) return around;
  return around + strength * facing;
}

Vector Squared(Vector colour) { return {colour.x * colour.x, colour.y * colour.y, colour.z * colour.z}; }

// The linear colour that is seen along the unit vector `to`.
Vector Seen(const Row& row, Vector to) {
  const Scene& scene = row.scene;
  const Met met = MeetFirst(row, to);
  if (met.what == Met::What::kSky) {
    return Squared(Mix(scene.horizon, scene.zenith, std::clamp(to.y * 2.2, 0.0, 1.0)));
  }
  const Vector point = row.rays.from() + to * met.distance, normal = NormalOf(met, point, to);
  const Vector colour = Squared(ColourOf(scene, met, point)) * LightAt(scene, point + normal * 1e-4, normal);
  // Haze hides the end of the floor.
  const double clear = scene.haze / (scene.haze + met.distance);
  return Mix(Squared(scene.horizon), colour, clear);
}

uint8_t ToByte(double linear) { return static_cast<uint8_t>(255 * std::sqrt(std::clamp(linear, 0.0, 1.0)) + 0.5); }

}  // namespace

Picture DrawScene(const Scene& scene, int width, int height, int samples) {
  const Rays rays(scene.camera, width, height);
  Picture picture(width, height, {});
  for (int y = 0; y < height; ++y) {
    std::vector<Vector> sums(width);
    for (int j = 0; j < samples; ++j) {
      const Row row(scene, rays, y + (j + 0.5) / samples, width);
      for (int i = 0; i < width * samples; ++i) {
        Vector& sum = sums[i / samples];
        sum = sum + Seen(row, Unit(rays.At((i + 0.5) / samples, row.y)));
      }
    }
    for (int x = 0; x < width; ++x) {
      const Vector mean = sums[x] * (1.0 / (samples * samples));
      picture.Set(x, y, {ToByte(mean.x), ToByte(mean.y), ToByte(mean.z)});
    }
  }
  return picture;
}

std::vector<float> SceneDepth(const Scene& scene, int width, int height) {
  const Rays rays(scene.camera, width, height);
  std::vector<float> depth;
  depth.reserve(static_cast<size_t>(width) * height);
  for (int y = 0; y < height; ++y) {
    const Row row(scene, rays, y + 0.5, width);
    for (int x = 0; x < width; ++x) {
      const Vector ray = rays.At(x + 0.5, row.y);
      const double length = Length(ray);
      const double distance = MeetFirst(row, ray * (1 / length)).distance;
      depth.push_back(static_cast<float>(std::min(distance / length, kDepthLimit)));
    }
  }
  return depth;
}

}  // namespace modelport
