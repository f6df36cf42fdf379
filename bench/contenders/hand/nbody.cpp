// All-pairs accelerations with explicit vectors: each lane is a body that is attracted.
#include <algorithm>

#include "hand/hand.hpp"
#include "vec.hpp"

namespace contenders::CONTENDER_HAND {
namespace {

// Two vectors of bodies share each broadcast of the attracting body.
constexpr int vectors = 2;
constexpr int64_t block = vectors * lanes;

// mass * distance2^(-3/2), in two ways.
struct ExactRoot {
  static Floats pull(float mass, Floats distance2) {
    const Floats inverse = 1.0f / square_root(distance2);
    return (mass * inverse) * (inverse * inverse);
  }
};
// Let y be roughly distance2^(-1/2) and e = 1 - distance2 y^2. Then the cube of the root is y^3 (1
// + 3/2 e + ...), whose next term is beyond a float's precision. This counts as one function, so
// its arithmetic is fused under all rules.
struct EstimatedRoot {
  static Floats pull(float mass, Floats distance2) {
    const Floats y = rough_rsqrt(distance2);
    const Floats y2 = y * y;
    const Floats e = fused(-distance2, y2, all(1.0f));
    const Floats cube = (mass * y) * y2;
    return fused(cube, 1.5f * e, cube);
  }
};

template <class Root>
void pull_block(BodyColumns bodies, int64_t n, AccelerationColumns out, int64_t first) {
  Floats x[vectors], y[vectors], z[vectors], ax[vectors] = {}, ay[vectors] = {}, az[vectors] = {};
  for (int v = 0; v < vectors; ++v) {
    x[v] = load(bodies.x + first + v * lanes);
    y[v] = load(bodies.y + first + v * lanes);
    z[v] = load(bodies.z + first + v * lanes);
  }
  for (int64_t j = 0; j < n; ++j) {
    const float xj = bodies.x[j], yj = bodies.y[j], zj = bodies.z[j], mass = bodies.mass[j];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const Floats dx = xj - x[v], dy = yj - y[v], dz = zj - z[v];
      const Floats pull = Root::pull(mass, dx * dx + (dy * dy + (dz * dz + softening)));
      ax[v] += pull * dx;
      ay[v] += pull * dy;
      az[v] += pull * dz;
    }
  }
  for (int v = 0; v < vectors; ++v) {
    store(out.x + first + v * lanes, ax[v]);
    store(out.y + first + v * lanes, ay[v]);
    store(out.z + first + v * lanes, az[v]);
  }
}

// Requires at least one whole block of bodies; the last block overlaps the one before.
template <class Root>
void pull_all(BodyColumns bodies, int64_t n, AccelerationColumns out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i += block)
    pull_block<Root>(bodies, n, out, std::min(i, n - block));
}

}  // namespace

void nbody(BodyColumns bodies, int64_t n, AccelerationColumns out, int64_t begin, int64_t end) {
  pull_all<ExactRoot>(bodies, n, out, begin, end);
}

void nbody_estimate(BodyColumns bodies, int64_t n, AccelerationColumns out, int64_t begin,
                    int64_t end) {
  pull_all<EstimatedRoot>(bodies, n, out, begin, end);
}

}  // namespace contenders::CONTENDER_HAND
