// Hasten's side of the cases on arrays of numbers.
#include "../../examples/programs/dotp.hpp"
#include "../../examples/programs/edges.hpp"
#include "../../examples/programs/mandelbrot.hpp"
#include "../../examples/programs/matmul.hpp"
#include "ours/common.hpp"
#include "ours/ours.hpp"
#include "ours/programs.hpp"

namespace bench {
namespace {

std::vector<float> scalar(const hs::Scalar<float>& result) { return {result.item()}; }

template <class Array>
std::vector<float> flat(const Array& result) {
  std::vector<float> all;
  append(all, result.span());
  return all;
}

}  // namespace

std::vector<Contender> our_sum(const float* x, int64_t n) {
  const auto xs = lent_vector(x, n);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(sum_of, options), xs] { return f(xs); };
      },
      scalar);
}

std::vector<Contender> our_dot(const float* x, const float* y, int64_t n) {
  const auto xs = lent_vector(x, n), ys = lent_vector(y, n);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(programs::dotp, options), xs, ys] { return f(xs, ys); };
      },
      scalar);
}

std::vector<Contender> our_saxpy(float a, const float* x, const float* y, int64_t n) {
  const auto xs = lent_vector(x, n), ys = lent_vector(y, n);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(programs::saxpy, options), a, xs, ys] { return f(a, xs, ys); };
      },
      flat<hs::Vector<float>>);
}

std::vector<Contender> our_mandelbrot(const contenders::Picture& picture) {
  const contenders::Window w = picture.window;
  const programs::View view{w.left, w.top, w.width, w.height};
  const hs::Ix<2> size = hs::ix(picture.height, picture.width);
  const int32_t limit = picture.limit;
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(programs::mandelbrot, options), size, view, limit] {
          return f(size, view, limit);
        };
      },
      flat<hs::Matrix<int32_t>>);
}

std::vector<Contender> our_matmul(const float* a, const float* b, int64_t n) {
  const auto left = matrix_of(a, n, n), right = matrix_of(b, n, n);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(programs::matmul, options), left, right] { return f(left, right); };
      },
      flat<hs::Matrix<float>>);
}

std::vector<Contender> our_sobel(contenders::GreyImage image) {
  const auto pixels = lent_matrix(image.pixels, image.height, image.width);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(programs::sobel, options), pixels] { return f(pixels); };
      },
      flat<hs::Matrix<float>>);
}

}  // namespace bench
