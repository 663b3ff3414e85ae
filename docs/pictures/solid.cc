#include "docs/pictures/solid.h"

#include <algorithm>
#include <cmath>

namespace modelport {
namespace {

constexpr double kNear = 1e-6;  // What a ray meets closer than this is where it starts.

// Turns a direction into the coordinates of the solid, and back.
Vector Turn(const Solid& solid, Vector to) {
  return {solid.cosine * to.x + solid.sine * to.z, to.y, solid.cosine * to.z - solid.sine * to.x};
}

Vector TurnBack(const Solid& solid, Vector to) {
  return {solid.cosine * to.x - solid.sine * to.z, to.y, solid.cosine * to.z + solid.sine * to.x};
}

double MeetBox(const Solid& box, Vector from, Vector to) {
  const Vector start = ToOwn(box, from), direction = Turn(box, to);
  double enter = kNear, leave = kNever;
  const auto clip = [&](double start, double direction, double half) {
    // A ray along a face divides by 0, and the infinities are right.
    const double a = (-half - start) / direction, b = (half - start) / direction;
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  };
  clip(start.x, direction.x, box.half.x);
  clip(start.y, direction.y, box.half.y);
  clip(start.z, direction.z, box.half.z);
  return enter < leave && enter > kNear ? enter : kNever;
}

double MeetCylinder(const Solid& cylinder, Vector from, Vector to) {
  const Vector start = from - cylinder.centre;
  // The cap that faces the ray, and then the side.
  const double cap = ((to.y < 0 ? cylinder.half.y : -cylinder.half.y) - start.y) / to.y;
  if (cap > kNear && cap < kNever) {
    const Vector met = start + to * cap;
    if (met.x * met.x + met.z * met.z < cylinder.half.x * cylinder.half.x) return cap;
  }
  const double a = to.x * to.x + to.z * to.z, b = start.x * to.x + start.z * to.z;
  const double root = b * b - a * (start.x * start.x + start.z * start.z - cylinder.half.x * cylinder.half.x);
  if (root < 0 || a == 0) return kNever;
  const double side = (-b - std::sqrt(root)) / a;
  return side > kNear && std::abs(start.y + to.y * side) < cylinder.half.y ? side : kNever;
}

}  // namespace

Solid MakeBall(Vector centre, double radius, const Texture& texture) {
  return {Solid::Kind::kBall, centre, {radius, radius, radius}, 1, 0, radius, texture};
}

Solid MakeBox(Vector centre, Vector half, Vector side, const Texture& texture) {
  side = Unit({side.x, 0, side.z});
  return {Solid::Kind::kBox, centre, half, side.x, side.z, Length(half), texture};
}

Solid MakeCylinder(Vector centre, double radius, double half_height, const Texture& texture) {
  const double bound = std::sqrt(radius * radius + half_height * half_height);
  return {Solid::Kind::kCylinder, centre, {radius, half_height, radius}, 1, 0, bound, texture};
}

double MeetWithinBound(const Solid& solid, Vector from, Vector to) {
  switch (solid.kind) {
    case Solid::Kind::kBox:
      return MeetBox(solid, from, to);
    case Solid::Kind::kCylinder:
      return MeetCylinder(solid, from, to);
    case Solid::Kind::kBall:
      break;
  }
  const Vector offset = from - solid.centre;
  const double half = Dot(offset, to), root = half * half - Dot(offset, offset) + solid.bound * solid.bound;
  const double distance = -half - std::sqrt(std::max(root, 0.0));
  return distance > kNear ? distance : kNever;
}

Vector NormalAt(const Solid& solid, Vector point) {
  const Vector own = ToOwn(solid, point);
  if (solid.kind == Solid::Kind::kBall) return Unit(own);
  const double y = std::abs(own.y) / solid.half.y;
  const Vector up = {0, own.y > 0 ? 1.0 : -1.0, 0};
  if (solid.kind == Solid::Kind::kCylinder) {
    const double side = std::sqrt(own.x * own.x + own.z * own.z);
    return y > side / solid.half.x ? up : Vector{own.x / side, 0, own.z / side};
  }
  const double x = std::abs(own.x) / solid.half.x, z = std::abs(own.z) / solid.half.z;
  if (y > x && y > z) return up;
  return TurnBack(solid, x > z ? Vector{own.x > 0 ? 1.0 : -1.0, 0, 0} : Vector{0, 0, own.z > 0 ? 1.0 : -1.0});
}

Vector ToOwn(const Solid& solid, Vector point) { return Turn(solid, point - solid.centre); }

bool Overlaps(const Solid& solid, Vector point, double radius) {
  const Vector own = ToOwn(solid, point);
  if (solid.kind == Solid::Kind::kBox) {
    return std::abs(own.x) < solid.half.x + radius && std::abs(own.z) < solid.half.z + radius;
  }
  const double least = solid.half.x + radius;
  return own.x * own.x + own.z * own.z < least * least;
}

}  // namespace modelport
