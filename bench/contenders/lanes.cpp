// Interchanged loops: many independent results advance together, for the compiler to vectorise.
#include <algorithm>
#include <cmath>

#include "forms.hpp"

namespace contenders {
namespace {

// Bodies whose accelerations advance together. Eight vectors hide the latency of the square root.
constexpr int64_t bodies_in_step = 32;

void nbody_block(BodyColumns bodies, int64_t n, AccelerationColumns out, int64_t first) {
  float x[bodies_in_step], y[bodies_in_step], z[bodies_in_step];
  float ax[bodies_in_step] = {}, ay[bodies_in_step] = {}, az[bodies_in_step] = {};
  for (int64_t l = 0; l < bodies_in_step; ++l) {
    x[l] = bodies.x[first + l];
    y[l] = bodies.y[first + l];
    z[l] = bodies.z[first + l];
  }
  for (int64_t j = 0; j < n; ++j) {
    const float xj = bodies.x[j], yj = bodies.y[j], zj = bodies.z[j], mass = bodies.mass[j];
    for (int64_t l = 0; l < bodies_in_step; ++l) {
      const float dx = xj - x[l], dy = yj - y[l], dz = zj - z[l];
      const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
      const float pull = mass * inverse * inverse * inverse;
      ax[l] += pull * dx;
      ay[l] += pull * dy;
      az[l] += pull * dz;
    }
  }
  for (int64_t l = 0; l < bodies_in_step; ++l) {
    out.x[first + l] = ax[l];
    out.y[first + l] = ay[l];
    out.z[first + l] = az[l];
  }
}

// The last block overlaps the one before: computing a body twice is cheaper than a second loop.
void nbody(BodyColumns bodies, int64_t n, AccelerationColumns out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i += bodies_in_step)
    nbody_block(bodies, n, out, std::min(i, n - bodies_in_step));
}

constexpr int64_t pixels_in_step = 64;

void mandelbrot_block(const Picture& picture, int32_t* steps, int64_t row, int64_t first) {
  const Window w = picture.window;
  const float dx = w.width / static_cast<float>(picture.width);
  const float ci =
      w.top + static_cast<float>(row) * (w.height / static_cast<float>(picture.height));
  float cr[pixels_in_step], zr[pixels_in_step], zi[pixels_in_step];
  int32_t count[pixels_in_step] = {};
  for (int64_t l = 0; l < pixels_in_step; ++l) {
    zr[l] = cr[l] = w.left + static_cast<float>(first + l) * dx;
    zi[l] = ci;
  }
  for (int32_t i = 0; i < picture.limit; ++i) {
    int32_t any = 0;
    for (int64_t l = 0; l < pixels_in_step; ++l) {
      const float r2 = zr[l] * zr[l], i2 = zi[l] * zi[l];
      // A point that has left never comes back, so no lane needs to be masked.
      const int32_t inside = r2 + i2 < 4.0f ? 1 : 0;
      count[l] += inside;
      any |= inside;
      zi[l] = 2.0f * zr[l] * zi[l] + ci;
      zr[l] = r2 - i2 + cr[l];
    }
    if (any == 0) break;
  }
  for (int64_t l = 0; l < pixels_in_step; ++l) steps[row * picture.width + first + l] = count[l];
}

void mandelbrot(const Picture& picture, int32_t* steps, int64_t begin_row, int64_t end_row) {
  for (int64_t row = begin_row; row < end_row; ++row)
    for (int64_t x = 0; x < picture.width; x += pixels_in_step)
      mandelbrot_block(picture, steps, row, std::min(x, picture.width - pixels_in_step));
}

}  // namespace

extern const Form CONTENDER_FORM;
const Form CONTENDER_FORM{.name = CONTENDER_NAME,
                          .rules = Rules::CONTENDER_RULES,
                          .nbody = nbody,
                          .mandelbrot = mandelbrot};

}  // namespace contenders
