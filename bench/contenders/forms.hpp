// The hand-written programs as pieces over a range, with one table of functions per implementation.
#pragma once

#include <cstdint>
#include <vector>

namespace contenders {

struct OptionColumns {
  const float *price, *strike, *years;
};
struct PriceColumns {
  float *call, *put;
};
struct BodyColumns {
  const float *x, *y, *z, *mass;
};
struct AccelerationColumns {
  float *x, *y, *z;
};

// The constants of the market and of gravity, shared by all implementations of a program.
constexpr float riskless_rate = 0.02f;
constexpr float volatility = 0.30f;
constexpr float softening = 0.01f;  // added to the squared distance

// The window of the complex plane that a picture shows; pixel (row, column) is at its upper left
// corner.
struct Window {
  float left, top, width, height;
};
struct Picture {
  Window window;
  int64_t width, height;
  int32_t limit;
};

struct GreyImage {
  const float* pixels;
  int64_t width, height;
};

// The rounding rules that an implementation follows.
enum class Rules {
  strict,    // each operation of the program rounds separately, as IEEE requires; exp, log and
             // rsqrt may use any arithmetic with errors up to two units of the last place
  contract,  // a b + c may be fused
  any,       // sums may be reordered, divisions and roots may be approximate
};

// One implementation of the programs; members for programs that it lacks are null. All functions
// work on [begin, end) and run on the calling thread.
struct Form {
  const char* name;
  Rules rules;
  float (*sum)(const float* x, int64_t n) = nullptr;
  float (*dot)(const float* x, const float* y, int64_t n) = nullptr;
  void (*saxpy)(float a, const float* x, const float* y, float* out, int64_t n) = nullptr;
  void (*black_scholes)(OptionColumns, PriceColumns, int64_t begin, int64_t end) = nullptr;
  void (*nbody)(BodyColumns, int64_t n, AccelerationColumns, int64_t begin, int64_t end) = nullptr;
  void (*mandelbrot)(const Picture&, int32_t* steps, int64_t begin_row, int64_t end_row) = nullptr;
  void (*matmul)(const float* a, const float* b, float* c, int64_t n, int64_t begin_row,
                 int64_t end_row) = nullptr;
  void (*sobel)(GreyImage, float* out, int64_t begin_row, int64_t end_row) = nullptr;
};

// Plain loops, compiled with and without contraction and -ffast-math, with the compiler's choice of
// vector width and with 512 bits.
extern const Form form_strict, form_strict_512, form_o3, form_o3_512, form_fast, form_fast_512;
// The same programs with the loops interchanged, so that compilers vectorise over independent
// results.
extern const Form form_lanes_strict_512, form_lanes_o3_512, form_lanes_fast_512;
// Explicit vectors; the tables of both compilations, without and with contraction.
const std::vector<const Form*>& hand_strict_forms();
const std::vector<const Form*>& hand_forms();

}  // namespace contenders
