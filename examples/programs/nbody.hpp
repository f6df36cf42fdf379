// The attraction between all pairs of bodies: an n by n index space that is never stored.
#pragma once

#include <functional>
#include <hasten/hasten.hpp>

namespace programs {

namespace hs = hasten;
using hs::Acc, hs::Exp, hs::Vector;

struct Vec3 {
  float x, y, z;
};
HASTEN_STRUCT(Vec3, x, y, z);

struct Body {
  Vec3 position;
  float mass;
};
HASTEN_STRUCT(Body, position, mass);

inline Exp<Vec3> operator+(Exp<Vec3> a, Exp<Vec3> b) {
  return Exp<Vec3>{a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Exp<Vec3> operator-(Exp<Vec3> a, Exp<Vec3> b) {
  return Exp<Vec3>{a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Exp<Vec3> operator*(Exp<float> s, Exp<Vec3> v) {
  return Exp<Vec3>{s * v.x, s * v.y, s * v.z};
}
// The acceleration of `body` by `other`. The softening keeps it finite for close encounters and for
// the body itself.
inline Exp<Vec3> acceleration_by(Exp<Body> body, Exp<Body> other) {
  constexpr float softening = 0.01f;
  auto way = other.position - body.position;
  auto distance2 = way.x * way.x + (way.y * way.y + (way.z * way.z + softening));
  auto inverse = hs::rsqrt(distance2);
  return (other.mass * inverse * inverse * inverse) * way;
}

inline Acc<Vector<Vec3>> accelerations(Acc<Vector<Body>> bodies) {
  auto n = hs::size(bodies);
  auto rows = hs::replicate(hs::over(hs::keep, n), bodies);
  auto columns = hs::replicate(hs::over(n, hs::keep), bodies);
  return hs::fold(std::plus<>{}, Vec3{0, 0, 0}, hs::zip_with(acceleration_by, rows, columns));
}

}  // namespace programs
