#include "docs/pictures/scene.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace modelport {
namespace {

struct Vector {
  double x = 0, y = 0, z = 0;
};

Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector operator*(Vector a, double s) { return {a.x * s, a.y * s, a.z * s}; }
double Dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vector Unit(Vector a) { return a * (1 / std::sqrt(Dot(a, a))); }

struct Ball {
  Vector centre;
  double radius;
  Vector colour;
};

// y points up, the floor is y = 0, and z is the distance from the camera.
constexpr Ball kBalls[] = {
    {{-1.35, 0.85, 5.2}, 0.85, {0.80, 0.22, 0.16}},  {{0.75, 0.55, 4.0}, 0.55, {0.95, 0.70, 0.20}},
    {{1.95, 1.15, 7.5}, 1.15, {0.20, 0.45, 0.75}},   {{-0.35, 0.30, 3.0}, 0.30, {0.30, 0.62, 0.35}},
    {{-3.60, 1.40, 11.0}, 1.40, {0.55, 0.40, 0.65}}, {{4.60, 1.70, 15.0}, 1.70, {0.85, 0.50, 0.35}},
};
constexpr Vector kCamera = {0, 1.25, 0};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The distance along the ray from `from` towards the unit vector `to` at which it meets the ball.
double Meet(const Ball& ball, Vector from, Vector to) {
  const Vector offset = from - ball.centre;
  const double half = Dot(offset, to), root = half * half - Dot(offset, offset) + ball.radius * ball.radius;
  if (root < 0) return kInfinity;
  const double distance = -half - std::sqrt(root);
  return distance > 1e-6 ? distance : kInfinity;
}

Vector SunDirection() { return Unit({-0.55, 0.75, -0.45}); }

bool InShadow(Vector point) {
  return std::any_of(std::begin(kBalls), std::end(kBalls),
                     [&](const Ball& ball) { return Meet(ball, point, SunDirection()) < kInfinity; });
}

// An sRGB colour, about, in sunlight and in the light of the sky; linear.
Vector Lit(Vector colour, Vector point, Vector normal) {
  const double sun = InShadow(point) ? 0 : std::max(0.0, Dot(normal, SunDirection()));
  const double light = 0.25 + 0.12 * normal.y + 0.8 * sun;
  return {colour.x * colour.x * light, colour.y * colour.y * light, colour.z * colour.z * light};
}

Vector Mix(Vector a, Vector b, double part) { return a * (1 - part) + b * part; }

Vector Sky(Vector to) { return Mix({0.68, 0.78, 0.88}, {0.12, 0.30, 0.62}, std::clamp(to.y * 2.2, 0.0, 1.0)); }

Vector Floor(Vector point) {
  const int tile = static_cast<int>(std::floor(point.x + 0.5)) + static_cast<int>(std::floor(point.z));
  return tile % 2 == 0 ? Vector{0.82, 0.80, 0.76} : Vector{0.42, 0.41, 0.42};
}

// The linear colour that is seen towards the unit vector `to`.
Vector Seen(Vector to) {
  double nearest = to.y < 0 ? -kCamera.y / to.y : kInfinity;
  const Ball* met = nullptr;
  for (const Ball& ball : kBalls) {
    const double distance = Meet(ball, kCamera, to);
    if (distance >= nearest) continue;
    nearest = distance;
    met = &ball;
  }
  if (nearest == kInfinity) return Sky(to);
  const Vector point = kCamera + to * nearest;
  const Vector normal = met == nullptr ? Vector{0, 1, 0} : Unit(point - met->centre);
  const Vector colour = Lit(met == nullptr ? Floor(point) : met->colour, point + normal * 1e-4, normal);
  // Haze hides the end of the floor.
  return Mix(Sky({0, 0, 1}), colour, std::exp(-nearest / 40));
}

uint8_t ToByte(double linear) {
  const double clipped = std::clamp(linear, 0.0, 1.0);
  return static_cast<uint8_t>(std::lround(255 * std::pow(clipped, 1 / 2.2)));
}

}  // namespace

Picture DrawScene(int width, int height) {
  constexpr int kSamples = 3;  // In each direction of a pixel, against jagged edges.
  Picture picture(width, height, {});
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      Vector sum;
      for (int i = 0; i < kSamples * kSamples; ++i) {
        const double u = (x + (i % kSamples + 0.5) / kSamples) / width - 0.5;
        const double v = (y + (i / kSamples + 0.5) / kSamples - height / 2.0) / width;
        sum = sum + Seen(Unit({u * 1.25, -v * 1.25 - 0.10, 1}));
      }
      sum = sum * (1.0 / (kSamples * kSamples));
      picture.Set(x, y, {ToByte(sum.x), ToByte(sum.y), ToByte(sum.z)});
    }
  }
  return picture;
}

}  // namespace modelport
