// Loops over arrays whose last axes are short, and over keys. Compiled by each of the rules.
#include "everyday/short_axes.hpp"

#include "parallel.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <vector>

namespace contenders {
namespace {

constexpr int64_t block = 1 << 14;

template <class F>
void each(int64_t n, const F& f) {
  parallel_blocks(n, block, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

void pool(GreyImage image, float* out) {
  const int64_t width = image.width / 2;
  parallel_blocks(image.height / 2, 16, [&](int64_t begin, int64_t end) {
    for (int64_t y = begin; y < end; ++y) {
      const float* above = image.pixels + 2 * y * image.width;
      const float* below = above + image.width;
      for (int64_t x = 0; x < width; ++x)
        out[y * width + x] = std::max(std::max(above[2 * x], above[2 * x + 1]),
                                      std::max(below[2 * x], below[2 * x + 1]));
    }
  });
}

void enlarge(GreyImage image, float* out) {
  parallel_blocks(image.height, 16, [&](int64_t begin, int64_t end) {
    for (int64_t y = begin; y < end; ++y) {
      const float* from = image.pixels + y * image.width;
      float* to = out + 4 * y * image.width;
      float* below = to + 2 * image.width;
      for (int64_t x = 0; x < image.width; ++x)
        to[2 * x] = to[2 * x + 1] = below[2 * x] = below[2 * x + 1] = from[x];
    }
  });
}

void grey(const float* rgb, float* out, int64_t n) {
  each(n, [&](int64_t i) {
    out[i] = 0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2];
  });
}

void opaque(const float* rgb, float* out, int64_t n) {
  each(n, [&](int64_t i) {
    for (int64_t c = 0; c < 3; ++c) out[4 * i + c] = rgb[3 * i + c];
    out[4 * i + 3] = 1;
  });
}

void slopes(const float* rgb, float* out, int64_t height, int64_t width) {
  const int64_t row = 3 * width;
  parallel_blocks(height, 16, [&](int64_t begin, int64_t end) {
    for (int64_t y = begin; y < end; ++y) {
      const float* here = rgb + y * row;
      const float* above = rgb + std::max<int64_t>(y - 1, 0) * row;
      const float* below = rgb + std::min(y + 1, height - 1) * row;
      float* to = out + y * row;
      const auto at = [&](int64_t i, int64_t left, int64_t right) {
        to[i] = std::abs(here[right] - here[left]) + std::abs(below[i] - above[i]);
      };
      for (int64_t i = 0; i < 3; ++i) at(i, i, i + 3);
      for (int64_t i = 3; i < row - 3; ++i) at(i, i - 3, i + 3);
      for (int64_t i = row - 3; i < row; ++i) at(i, i - 3, i);
    }
  });
}

void channel_sums(const float* rgb, float* out, int64_t n) {
  double all[3] = {};
  std::mutex mutex;
  parallel_blocks(n, block, [&](int64_t begin, int64_t end) {
    // Sums several pixels at once, so that no addition waits for the one before.
    constexpr int64_t lanes = 3 * 64;
    float part[lanes] = {};
    int64_t i = 3 * begin;
    for (; i + lanes <= 3 * end; i += lanes)
      for (int64_t k = 0; k < lanes; ++k) part[k] += rgb[i + k];
    for (int64_t k = 0; i + k < 3 * end; ++k) part[k] += rgb[i + k];
    double sum[3] = {};
    for (int64_t k = 0; k < lanes; ++k) sum[k % 3] += part[k];
    const std::lock_guard lock(mutex);
    for (int k = 0; k < 3; ++k) all[k] += sum[k];
  });
  for (int k = 0; k < 3; ++k) out[k] = static_cast<float>(all[k]);
}

void features(const float* in, float* out, int64_t height, int64_t width) {
  constexpr int64_t channels = 16;
  const int64_t row = channels * width;
  const std::vector<float> nothing(static_cast<std::size_t>(row));
  parallel_blocks(height, 8, [&](int64_t begin, int64_t end) {
    for (int64_t y = begin; y < end; ++y) {
      const float* here = in + y * row;
      const float* above = y > 0 ? here - row : nothing.data();
      const float* below = y + 1 < height ? here + row : nothing.data();
      float* to = out + y * row;
      const auto at = [&](int64_t i, float left, float right) {
        to[i] = above[i] + below[i] + left + right - 4 * here[i];
      };
      for (int64_t i = 0; i < channels; ++i) at(i, 0, here[i + channels]);
      for (int64_t i = channels; i < row - channels; ++i)
        at(i, here[i - channels], here[i + channels]);
      for (int64_t i = row - channels; i < row; ++i) at(i, here[i - channels], 0);
    }
  });
}

void frame_sums(const float* in, float* out, int64_t n, int64_t size) {
  parallel_blocks(size, 1024, [&](int64_t begin, int64_t end) {
    std::fill(out + begin, out + end, 0.0f);
    for (int64_t k = 0; k < n; ++k)
      for (int64_t i = begin; i < end; ++i) out[i] += in[k * size + i];
  });
}

void points(const float* in, const float* matrix, float* out, int64_t n) {
  float m[9];
  std::copy_n(matrix, 9, m);
  each(n, [&](int64_t i) {
    for (int64_t c = 0; c < 3; ++c)
      out[3 * i + c] = in[3 * i] * m[c] + in[3 * i + 1] * m[3 + c] + in[3 * i + 2] * m[6 + c];
  });
}

void largest_so_far(const float* in, float* out, int64_t rows, int64_t columns) {
  parallel_blocks(rows, 256, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      float largest = in[row * columns];
      for (int64_t i = row * columns; i < (row + 1) * columns; ++i)
        out[i] = largest = std::max(largest, in[i]);
    }
  });
}

void five_largest(const float* in, float* out, int64_t rows, int64_t columns) {
  constexpr int64_t wanted = 5;
  parallel_blocks(rows, 64, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const float* x = in + row * columns;
      float* best = out + row * wanted;
      for (int64_t i = 0; i < columns; ++i) {
        int64_t at = std::min(i, wanted);
        if (at == wanted && !(x[i] > best[--at])) continue;
        for (; at > 0 && x[i] > best[at - 1]; --at) best[at] = best[at - 1];
        best[at] = x[i];
      }
    }
  });
}

void segment_scans(const float* in, const int64_t* offsets, float* out, int64_t segments) {
  parallel_blocks(segments, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      float sum = 0;
      for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) out[i] = sum += in[i];
    }
  });
}

void shares(const float* in, const int64_t* offsets, float* out, int64_t segments) {
  parallel_blocks(segments, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      float sum = 0;
      for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) sum += in[i];
      for (int64_t i = offsets[s]; i < offsets[s + 1]; ++i) out[i] = in[i] / sum;
    }
  });
}

void expand(const float* base, const int64_t* offsets, float* out, int64_t segments) {
  parallel_blocks(segments, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      const auto length = static_cast<int32_t>(offsets[s + 1] - offsets[s]);
      float* each = out + offsets[s];
      for (int32_t k = 0; k < length; ++k) each[k] = base[s] + static_cast<float>(k);
    }
  });
}

void transpose(const float* a, float* out, int64_t n) {
  each(n, [&](int64_t i) {
    for (int64_t r = 0; r < 3; ++r)
      for (int64_t c = 0; c < 3; ++c) out[9 * i + 3 * r + c] = a[9 * i + 3 * c + r];
  });
}

void multiply(const float* a, const float* b, float* out, int64_t n) {
  each(n, [&](int64_t i) {
    const float *left = a + 9 * i, *right = b + 9 * i;
    for (int64_t r = 0; r < 3; ++r)
      for (int64_t c = 0; c < 3; ++c)
        out[9 * i + 3 * r + c] = left[3 * r] * right[c] + left[3 * r + 1] * right[3 + c] +
                                 left[3 * r + 2] * right[6 + c];
  });
}

void block_sums(const float* a, float* out, int64_t n) {
  each(n, [&](int64_t i) {
    float sum = 0;
    for (int64_t k = 0; k < 9; ++k) sum += a[9 * i + k];
    out[i] = sum;
  });
}

void by_turns(const float* a, const float* b, float* out, int64_t n) {
  each(n, [&](int64_t i) {
    out[2 * i] = a[i];
    out[2 * i + 1] = b[i];
  });
}

// f(begin, end, bins) adds to private bins, which are summed up.
template <class T, class F>
void binned(int64_t n, int64_t size, T* result, const F& f) {
  std::fill_n(result, size, T{});
  std::mutex mutex;
  parallel_blocks(n, std::max<int64_t>(1 << 20, 8 * size), [&](int64_t begin, int64_t end) {
    std::vector<T> bins(static_cast<std::size_t>(size));
    f(begin, end, bins.data());
    const std::lock_guard lock(mutex);
    for (int64_t k = 0; k < size; ++k) result[k] += bins[static_cast<std::size_t>(k)];
  });
}

void count(const int32_t* keys, int64_t n, int64_t* counts, int64_t size) {
  binned(n, size, counts, [&](int64_t begin, int64_t end, int64_t* bins) {
    for (int64_t i = begin; i < end; ++i) ++bins[keys[i]];
  });
}

void sums(const int32_t* keys, const float* x, int64_t n, float* result, int64_t size) {
  binned(n, size, result, [&](int64_t begin, int64_t end, float* bins) {
    for (int64_t i = begin; i < end; ++i) bins[keys[i]] += x[i];
  });
}

}  // namespace

const ShortAxesForm CONTENDER_SHORT_AXES{.name = CONTENDER_NAME,
                                         .rules = Rules::CONTENDER_RULES,
                                         .pool = pool,
                                         .enlarge = enlarge,
                                         .grey = grey,
                                         .channel_sums = channel_sums,
                                         .opaque = opaque,
                                         .slopes = slopes,
                                         .features = features,
                                         .frame_sums = frame_sums,
                                         .points = points,
                                         .largest_so_far = largest_so_far,
                                         .five_largest = five_largest,
                                         .segment_scans = segment_scans,
                                         .shares = shares,
                                         .expand = expand,
                                         .transpose = transpose,
                                         .multiply = multiply,
                                         .block_sums = block_sums,
                                         .by_turns = by_turns,
                                         .count = count,
                                         .sums = sums};

}  // namespace contenders
