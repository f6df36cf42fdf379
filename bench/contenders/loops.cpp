// Plain loops for the compiler to vectorise; compiled once per set of flags, see CMakeLists.txt.
#include <cmath>

#include "forms.hpp"

#ifndef CONTENDER_FORM
#error "CONTENDER_FORM names the table this compilation defines"
#endif

namespace contenders {
namespace {

float sum(const float* x, int64_t n) {
  float total = 0;
  for (int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

float dot(const float* x, const float* y, int64_t n) {
  float total = 0;
  for (int64_t i = 0; i < n; ++i) total += x[i] * y[i];
  return total;
}

void saxpy(float a, const float* __restrict x, const float* __restrict y, float* __restrict out,
           int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a * x[i] + y[i];
}

// The normal distribution by polynomial 26.2.17 of Abramowitz and Stegun, as in the samples of CUDA
// and Accelerate.
inline float cumulative_normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
  const float poly =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228040143267794f * std::exp(-0.5f * d * d) * poly;
  return d > 0.0f ? 1.0f - tail : tail;
}

void black_scholes(OptionColumns in, PriceColumns out, int64_t begin, int64_t end) {
  const float* __restrict prices = in.price;
  const float* __restrict strikes = in.strike;
  const float* __restrict years = in.years;
  float* __restrict calls = out.call;
  float* __restrict puts = out.put;
  for (int64_t i = begin; i < end; ++i) {
    const float s = prices[i], x = strikes[i], t = years[i];
    const float deviation = volatility * std::sqrt(t);
    const float d1 =
        (std::log(s / x) + (riskless_rate + 0.5f * volatility * volatility) * t) / deviation;
    const float d2 = d1 - deviation;
    const float n1 = cumulative_normal(d1), n2 = cumulative_normal(d2);
    const float discounted = x * std::exp(-riskless_rate * t);
    calls[i] = s * n1 - discounted * n2;
    puts[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}

void nbody(BodyColumns bodies, int64_t n, AccelerationColumns out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const float x = bodies.x[i], y = bodies.y[i], z = bodies.z[i];
    float ax = 0, ay = 0, az = 0;
    for (int64_t j = 0; j < n; ++j) {
      const float dx = bodies.x[j] - x, dy = bodies.y[j] - y, dz = bodies.z[j] - z;
      const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
      const float pull = bodies.mass[j] * inverse * inverse * inverse;
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    out.x[i] = ax;
    out.y[i] = ay;
    out.z[i] = az;
  }
}

void mandelbrot(const Picture& picture, int32_t* steps, int64_t begin_row, int64_t end_row) {
  const Window w = picture.window;
  const float dx = w.width / static_cast<float>(picture.width);
  const float dy = w.height / static_cast<float>(picture.height);
  for (int64_t row = begin_row; row < end_row; ++row)
    for (int64_t column = 0; column < picture.width; ++column) {
      const float cr = w.left + static_cast<float>(column) * dx;
      const float ci = w.top + static_cast<float>(row) * dy;
      float zr = cr, zi = ci;
      int32_t i = 0;
      while (zr * zr + zi * zi < 4.0f && i < picture.limit) {
        const float real = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = real;
        ++i;
      }
      steps[row * picture.width + column] = i;
    }
}

// Adds multiples of rows of b to rows of c: in this order, plain loops stream and vectorise.
void matmul(const float* a, const float* b, float* c, int64_t n, int64_t begin_row,
            int64_t end_row) {
  constexpr int64_t depth = 64;  // rows of b that are reused from the second-level cache
  for (int64_t i = begin_row; i < end_row; ++i)
    for (int64_t j = 0; j < n; ++j) c[i * n + j] = 0;
  for (int64_t k0 = 0; k0 < n; k0 += depth) {
    const int64_t k1 = k0 + depth < n ? k0 + depth : n;
    for (int64_t i = begin_row; i < end_row; ++i) {
      float* __restrict target = c + i * n;
      for (int64_t k = k0; k < k1; ++k) {
        const float factor = a[i * n + k];
        const float* __restrict source = b + k * n;
        for (int64_t j = 0; j < n; ++j) target[j] += factor * source[j];
      }
    }
  }
}

// Sobel's magnitude for one row; the caller has clamped the rows above and below.
inline float sobel_at(const float* above, const float* here, const float* below, int64_t left,
                      int64_t x, int64_t right) {
  const float gx = (above[right] + 2.0f * here[right] + below[right]) -
                   (above[left] + 2.0f * here[left] + below[left]);
  const float gy = (below[left] + 2.0f * below[x] + below[right]) -
                   (above[left] + 2.0f * above[x] + above[right]);
  return std::sqrt(gx * gx + gy * gy);
}

void sobel(GreyImage image, float* out, int64_t begin_row, int64_t end_row) {
  const int64_t w = image.width;
  for (int64_t y = begin_row; y < end_row; ++y) {
    const float* here = image.pixels + y * w;
    const float* above = y > 0 ? here - w : here;
    const float* below = y + 1 < image.height ? here + w : here;
    float* __restrict target = out + y * w;
    const int64_t second = w > 1 ? 1 : 0;
    target[0] = sobel_at(above, here, below, 0, 0, second);
    for (int64_t x = 1; x < w - 1; ++x) target[x] = sobel_at(above, here, below, x - 1, x, x + 1);
    if (w > 1) target[w - 1] = sobel_at(above, here, below, w - 2, w - 1, w - 1);
  }
}

}  // namespace

extern const Form CONTENDER_FORM;
const Form CONTENDER_FORM{.name = CONTENDER_NAME,
                          .rules = Rules::CONTENDER_RULES,
                          .sum = sum,
                          .dot = dot,
                          .saxpy = saxpy,
                          .black_scholes = black_scholes,
                          .nbody = nbody,
                          .mandelbrot = mandelbrot,
                          .matmul = matmul,
                          .sobel = sobel};

}  // namespace contenders
