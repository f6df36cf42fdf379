// The programs in their most direct form; see plain.hpp.
#include "plain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace contenders::plain {

double sum(const float* x, int64_t n) {
  double total = 0;
  for (int64_t i = 0; i < n; ++i) total += x[i];
  return total;
}

double dot(const float* x, const float* y, int64_t n) {
  double total = 0;
  for (int64_t i = 0; i < n; ++i) total += static_cast<double>(x[i]) * y[i];
  return total;
}

void saxpy(float a, const float* x, const float* y, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a * x[i] + y[i];
}

static float cumulative_normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
  const float poly =
      k * (0.31938153f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float tail = 0.39894228040143267794f * std::exp(-0.5f * d * d) * poly;
  return d > 0.0f ? 1.0f - tail : tail;
}

void black_scholes(OptionColumns in, PriceColumns out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float s = in.price[i], x = in.strike[i], t = in.years[i];
    const float deviation = volatility * std::sqrt(t);
    const float drift = (riskless_rate + 0.5f * volatility * volatility) * t;
    const float d1 = (std::log(s / x) + drift) / deviation;
    const float n1 = cumulative_normal(d1), n2 = cumulative_normal(d1 - deviation);
    const float discounted = x * std::exp(-riskless_rate * t);
    out.call[i] = s * n1 - discounted * n2;
    out.put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}

void nbody(BodyColumns bodies, AccelerationColumns out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double ax = 0, ay = 0, az = 0;
    for (int64_t j = 0; j < n; ++j) {
      const float dx = bodies.x[j] - bodies.x[i];
      const float dy = bodies.y[j] - bodies.y[i];
      const float dz = bodies.z[j] - bodies.z[i];
      const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + softening);
      const float pull = bodies.mass[j] * inverse * inverse * inverse;
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    out.x[i] = static_cast<float>(ax);
    out.y[i] = static_cast<float>(ay);
    out.z[i] = static_cast<float>(az);
  }
}

void mandelbrot(const Picture& picture, int32_t* steps) {
  const Window w = picture.window;
  for (int64_t row = 0; row < picture.height; ++row)
    for (int64_t column = 0; column < picture.width; ++column) {
      const float cr =
          w.left + static_cast<float>(column) * (w.width / static_cast<float>(picture.width));
      const float ci =
          w.top + static_cast<float>(row) * (w.height / static_cast<float>(picture.height));
      float zr = cr, zi = ci;
      int32_t i = 0;
      for (; zr * zr + zi * zi < 4.0f && i < picture.limit; ++i) {
        const float real = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = real;
      }
      steps[row * picture.width + column] = i;
    }
}

void matmul(const float* a, const float* b, float* c, int64_t n) {
  std::vector<double> row(static_cast<std::size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (int64_t k = 0; k < n; ++k)
      for (int64_t j = 0; j < n; ++j)
        row[static_cast<std::size_t>(j)] += static_cast<double>(a[i * n + k]) * b[k * n + j];
    for (int64_t j = 0; j < n; ++j)
      c[i * n + j] = static_cast<float>(row[static_cast<std::size_t>(j)]);
  }
}

void row_sums(const float* x, float* out, int64_t rows, int64_t n) {
  for (int64_t i = 0; i < rows; ++i, x += n) out[i] = static_cast<float>(sum(x, n));
}

void sums_down(const float* x, float* out, int64_t rows, int64_t n) {
  std::vector<double> sums(static_cast<size_t>(n));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < n; ++j)
      out[i * n + j] = static_cast<float>(sums[static_cast<size_t>(j)] += x[i * n + j]);
}

void recurrence(const float* a, const float* b, float* out, int64_t n) {
  double y = 0;
  for (int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(y = a[i] * y + b[i]);
}

void softmax(const float* x, float* out, int64_t rows, int64_t n) {
  for (int64_t i = 0; i < rows; ++i, x += n, out += n) {
    const double most = *std::max_element(x, x + n);
    double total = 0;
    for (int64_t j = 0; j < n; ++j) total += std::exp(static_cast<double>(x[j]) - most);
    for (int64_t j = 0; j < n; ++j)
      out[j] = static_cast<float>(std::exp(static_cast<double>(x[j]) - most) / total);
  }
}

void nearest(const float* points, const float* centres, int32_t* out, int64_t n, int64_t m,
             int64_t d) {
  for (int64_t i = 0; i < n; ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (int64_t c = 0; c < m; ++c) {
      double sum = 0;
      for (int64_t k = 0; k < d; ++k) {
        const double difference = static_cast<double>(points[i * d + k]) - centres[c * d + k];
        sum += difference * difference;
      }
      if (sum < least) out[i] = static_cast<int32_t>(c);
      least = std::min(least, sum);
    }
  }
}

void sobel(GreyImage image, float* out) {
  const auto at = [&](int64_t y, int64_t x) {
    y = std::clamp<int64_t>(y, 0, image.height - 1);
    x = std::clamp<int64_t>(x, 0, image.width - 1);
    return image.pixels[y * image.width + x];
  };
  for (int64_t y = 0; y < image.height; ++y)
    for (int64_t x = 0; x < image.width; ++x) {
      const float gx = (at(y - 1, x + 1) + 2.0f * at(y, x + 1) + at(y + 1, x + 1)) -
                       (at(y - 1, x - 1) + 2.0f * at(y, x - 1) + at(y + 1, x - 1));
      const float gy = (at(y + 1, x - 1) + 2.0f * at(y + 1, x) + at(y + 1, x + 1)) -
                       (at(y - 1, x - 1) + 2.0f * at(y - 1, x) + at(y - 1, x + 1));
      out[y * image.width + x] = std::sqrt(gx * gx + gy * gy);
    }
}

}  // namespace contenders::plain
