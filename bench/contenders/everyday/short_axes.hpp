// Arrays with short axes, and sums by key, as plain loops on all threads; see short_axes.cpp.
#pragma once

#include <cstdint>

#include "forms.hpp"

namespace contenders {

struct ShortAxesForm {
  const char* name;
  Rules rules;
  // The largest of each 2 x 2 block of a picture with even sides.
  void (*pool)(GreyImage, float* out);
  // Repeats each pixel as 2 x 2 pixels.
  void (*enlarge)(GreyImage, float* out);
  // n pixels of interleaved red, green and blue: their grey values, and the sum of each channel.
  void (*grey)(const float* rgb, float* out, int64_t n);
  void (*channel_sums)(const float* rgb, float* out, int64_t n);
  // The same pixels with a fourth channel of ones.
  void (*opaque)(const float* rgb, float* out, int64_t n);
  // Of each channel of a colour picture: the absolute differences of both pairs of neighbours,
  // added.
  void (*slopes)(const float* rgb, float* out, int64_t height, int64_t width);
  // Pixels of 16 channels: the four neighbours less four times the pixel; outside are zeros.
  void (*features)(const float* in, float* out, int64_t height, int64_t width);
  // The sum of n pictures of `size` numbers.
  void (*frame_sums)(const float* in, float* out, int64_t n, int64_t size);
  // n points, multiplied by a matrix of 3 x 3.
  void (*points)(const float* in, const float* matrix, float* out, int64_t n);
  // Of each row: the largest number so far, and the five largest in descending order.
  void (*largest_so_far)(const float* in, float* out, int64_t rows, int64_t columns);
  void (*five_largest)(const float* in, float* out, int64_t rows, int64_t columns);
  // The sums so far in each segment, which ends before offsets[i + 1].
  void (*segment_scans)(const float* in, const int64_t* offsets, float* out, int64_t segments);
  // Each number divided by the sum of its segment; and of each segment, what `base` holds for it
  // plus 0, 1, 2...
  void (*shares)(const float* in, const int64_t* offsets, float* out, int64_t segments);
  void (*expand)(const float* base, const int64_t* offsets, float* out, int64_t segments);
  // n matrices of 3 x 3: the transposes, the products with others, and the sum of each.
  void (*transpose)(const float* a, float* out, int64_t n);
  void (*multiply)(const float* a, const float* b, float* out, int64_t n);
  void (*block_sums)(const float* a, float* out, int64_t n);
  // Alternates the elements of a and b.
  void (*by_turns)(const float* a, const float* b, float* out, int64_t n);
  // For each key from 0 on: how often it occurs, and the sum of its numbers.
  void (*count)(const int32_t* keys, int64_t n, int64_t* counts, int64_t size);
  void (*sums)(const int32_t* keys, const float* x, int64_t n, float* sums, int64_t size);
};

extern const ShortAxesForm short_axes_strict, short_axes_o3, short_axes_fast;

}  // namespace contenders
