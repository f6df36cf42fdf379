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
