#ifndef MODELPORT_DOCS_PICTURES_VECTOR_H_
#define MODELPORT_DOCS_PICTURES_VECTOR_H_

#include <cmath>

namespace modelport {

// A point or a direction in metres, y up; or a colour, red, green and blue in 0..1.
struct Vector {
  double x = 0, y = 0, z = 0;
};

inline Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vector operator*(Vector a, double s) { return {a.x * s, a.y * s, a.z * s}; }
inline double Dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double Length(Vector a) { return std::sqrt(Dot(a, a)); }
inline Vector Unit(Vector a) { return a * (1 / Length(a)); }
inline Vector Cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// `a` where `part` is 0, `b` where it is 1.
inline Vector Mix(Vector a, Vector b, double part) { return a * (1 - part) + b * part; }

}  // namespace modelport

#endif  // MODELPORT_DOCS_PICTURES_VECTOR_H_
