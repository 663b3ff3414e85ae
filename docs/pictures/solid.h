#ifndef MODELPORT_DOCS_PICTURES_SOLID_H_
#define MODELPORT_DOCS_PICTURES_SOLID_H_

#include <limits>

#include "docs/pictures/texture.h"
#include "docs/pictures/vector.h"

namespace modelport {

// The distance to what a ray does not meet.
inline constexpr double kNever = std::numeric_limits<double>::infinity();

// A ball, or a box or cylinder that stands upright.
struct Solid {
  enum class Kind { kBall, kBox, kCylinder };

  Kind kind = Kind::kBall;
  Vector centre;
  Vector half;        // Half of its extents. Those of a ball are its radius; x and z of a cylinder are.
  double cosine = 1;  // Of the angle by which a box is turned about y.
  double sine = 0;
  double bound = 0;  // Of a ball about the centre that contains it all.
  Texture texture;
  bool stays = false;  // Where it is, while other solids move.
};

Solid MakeBall(Vector centre, double radius, const Texture& texture);

// `side` is the direction of its x axis, of any length; its y is ignored.
Solid MakeBox(Vector centre, Vector half, Vector side, const Texture& texture);
Solid MakeCylinder(Vector centre, double radius, double half_height, const Texture& texture);

// Meet() of a ray that passes through the ball about the solid.
double MeetWithinBound(const Solid& solid, Vector from, Vector to);

// The distance along the ray from `from`, which lies outside, towards the unit vector `to` at which it meets the solid.
inline double Meet(const Solid& solid, Vector from, Vector to) {
  // Most rays pass by.
  const Vector offset = solid.centre - from;
  const double half = Dot(offset, to), reach = solid.bound * solid.bound;
  if (half < -solid.bound || Dot(offset, offset) - half * half > reach) return kNever;
  return MeetWithinBound(solid, from, to);
}

// The unit vector that points outwards at `point` of the surface.
Vector NormalAt(const Solid& solid, Vector point);

// A point in the coordinates of the solid: its centre is 0, and a box's sides are along the axes.
Vector ToOwn(const Solid& solid, Vector point);

// True if an upright cylinder of this radius about `point` meets the solid, both without their heights.
bool Overlaps(const Solid& solid, Vector point, double radius);

}  // namespace modelport

#endif  // MODELPORT_DOCS_PICTURES_SOLID_H_
