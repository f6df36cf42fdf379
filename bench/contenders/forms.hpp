// The hand-written programs as pieces over a range, one table of functions per way of writing them.
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

// The constants of the market and of gravity: every way of writing a program uses the same ones.
constexpr float riskless_rate = 0.02f;
constexpr float volatility = 0.30f;
constexpr float softening = 0.01f;  // added to the squared distance

// The window of the complex plane a picture shows; pixel (row, column) is its upper left corner.
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

// What a way of writing keeps to.
enum class Rules {
  strict,    // each operation of the program rounds by itself, as IEEE says; inside of exp, log and
             // rsqrt anything within two units of the last place goes
  contract,  // a b + c may be fused
  any,       // sums reorder, divisions and roots are approximate
};

// One way of writing the programs. Members it does not have are null. All work on [begin, end) and
// run on the calling thread.
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
// The same programs turned inside out so that compilers vectorise them over independent results.
extern const Form form_lanes_strict_512, form_lanes_o3_512, form_lanes_fast_512;
// Written with explicit vectors; the tables of both compilations, without contraction and with it.
const std::vector<const Form*>& hand_strict_forms();
const std::vector<const Form*>& hand_forms();

}  // namespace contenders
