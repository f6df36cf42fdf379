// All forms of all programs, distributed over the threads.
#include <memory>
#include <utility>

#include "contenders.hpp"
#include "hand/hand.hpp"
#include "parallel.hpp"

namespace contenders {
namespace {

constexpr int64_t memory_block = 1 << 16;  // elements; a quarter of a megabyte of floats
constexpr int64_t options_block = 1 << 14;
constexpr int64_t bodies_block = 128;
constexpr int64_t picture_rows = 4;
constexpr int64_t image_rows = 32;
constexpr int64_t matrix_rows = 16;

const std::vector<const Form*>& forms() {
  static const std::vector<const Form*> all = [] {
    std::vector<const Form*> forms{
        &form_strict,   &form_strict_512,       &form_o3,           &form_o3_512,        &form_fast,
        &form_fast_512, &form_lanes_strict_512, &form_lanes_o3_512, &form_lanes_fast_512};
    for (const auto* more : {&hand_strict_forms(), &hand_forms()})
      forms.insert(forms.end(), more->begin(), more->end());
    return forms;
  }();
  return all;
}

// All forms that have this program; `spread` turns each into a whole program.
template <class Signature, class Piece, class Spread>
std::vector<Named<Signature>> each_form(Piece Form::* piece, const Spread& spread) {
  std::vector<Named<Signature>> found;
  for (const Form* form : forms())
    if (form->*piece != nullptr) found.push_back({form->name, form->rules, spread(form->*piece)});
  return found;
}

// Adds the sums of blocks in order, so the result does not depend on the threads.
template <class F>
float add_blocks(int64_t n, const F& block_sum) {
  const int64_t blocks = (n + memory_block - 1) / memory_block;
  std::vector<double> partial(static_cast<std::size_t>(blocks));
  parallel_blocks(n, memory_block, [&](int64_t begin, int64_t end) {
    partial[static_cast<std::size_t>(begin / memory_block)] = block_sum(begin, end - begin);
  });
  double total = 0;
  for (const double p : partial) total += p;
  return static_cast<float>(total);
}

}  // namespace

std::vector<Named<float(const float*, int64_t)>> sums() {
  return each_form<float(const float*, int64_t)>(&Form::sum, [](auto piece) {
    return [piece](const float* x, int64_t n) {
      return add_blocks(n, [=](int64_t begin, int64_t size) { return piece(x + begin, size); });
    };
  });
}

std::vector<Named<float(const float*, const float*, int64_t)>> dots() {
  return each_form<float(const float*, const float*, int64_t)>(&Form::dot, [](auto piece) {
    return [piece](const float* x, const float* y, int64_t n) {
      return add_blocks(
          n, [=](int64_t begin, int64_t size) { return piece(x + begin, y + begin, size); });
    };
  });
}

std::vector<Named<void(float, const float*, const float*, float*, int64_t)>> saxpys() {
  using Signature = void(float, const float*, const float*, float*, int64_t);
  return each_form<Signature>(&Form::saxpy, [](auto piece) {
    return [piece](float a, const float* x, const float* y, float* out, int64_t n) {
      parallel_blocks(n, memory_block, [=](int64_t begin, int64_t end) {
        piece(a, x + begin, y + begin, out + begin, end - begin);
      });
    };
  });
}

std::vector<Named<void(OptionColumns, PriceColumns, int64_t)>> black_scholes() {
  using Signature = void(OptionColumns, PriceColumns, int64_t);
  return each_form<Signature>(&Form::black_scholes, [](auto piece) {
    return [piece](OptionColumns in, PriceColumns out, int64_t n) {
      parallel_blocks(n, options_block,
                      [=](int64_t begin, int64_t end) { piece(in, out, begin, end); });
    };
  });
}

std::vector<Named<void(BodyColumns, AccelerationColumns, int64_t)>> nbodies() {
  using Signature = void(BodyColumns, AccelerationColumns, int64_t);
  return each_form<Signature>(&Form::nbody, [](auto piece) {
    return [piece](BodyColumns bodies, AccelerationColumns out, int64_t n) {
      parallel_blocks(n, bodies_block,
                      [=](int64_t begin, int64_t end) { piece(bodies, n, out, begin, end); });
    };
  });
}

std::vector<Named<void(const Picture&, int32_t*)>> mandelbrots() {
  using Signature = void(const Picture&, int32_t*);
  return each_form<Signature>(&Form::mandelbrot, [](auto piece) {
    return [piece](const Picture& picture, int32_t* steps) {
      parallel_blocks(picture.height, picture_rows,
                      [&](int64_t begin, int64_t end) { piece(picture, steps, begin, end); });
    };
  });
}

std::vector<Named<void(const float*, const float*, float*, int64_t)>> matmuls() {
  using Signature = void(const float*, const float*, float*, int64_t);
  auto found = each_form<Signature>(&Form::matmul, [](auto piece) {
    return [piece](const float* a, const float* b, float* c, int64_t n) {
      parallel_blocks(n, matrix_rows,
                      [=](int64_t begin, int64_t end) { piece(a, b, c, n, begin, end); });
    };
  });
  found.push_back({"hand-tiled", Rules::contract, hand::matmul});
  if (auto blas = openblas_matmul()) found.push_back(std::move(*blas));
  return found;
}

std::vector<Named<void(GreyImage, float*)>> sobels() {
  using Signature = void(GreyImage, float*);
  return each_form<Signature>(&Form::sobel, [](auto piece) {
    return [piece](GreyImage image, float* out) {
      parallel_blocks(image.height, image_rows,
                      [=](int64_t begin, int64_t end) { piece(image, out, begin, end); });
    };
  });
}

}  // namespace contenders
