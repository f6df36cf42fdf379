// Programs of one or two lines.
#include "ours.hpp"

#include "../ours/common.hpp"

namespace bench::gpu {
namespace {

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

Acc<Vector<float>> affine(Acc<Vector<float>> x) {
  return hs::map([](auto v) { return v * 2.0f + 1.0f; }, x);
}

Acc<Vector<float>> rows_sum(Acc<Matrix<float>> x) { return hs::sum(x); }

Acc<Vector<uint32_t>> scatter_add(Exp<int64_t> size, Acc<Vector<uint32_t>> x,
                                  Acc<Vector<int32_t>> target) {
  return hs::permute(
      std::plus<>{}, hs::fill(size, uint32_t{0}), [=](auto i) { return target[i]; }, x);
}

Acc<Vector<float>> loop(Exp<int32_t> steps, Acc<Vector<float>> x) {
  return hs::aiterate(
      steps,
      [](Acc<Vector<float>> state) {
        return hs::zip_with([](auto a, auto b) { return (a + b) * 0.5f; }, state,
                            hs::rotate(1, state));
      },
      x);
}

}  // namespace

Contender our_affine(const float* x, int64_t n, Sample<float> sample) {
  return our_contender(
      as_written, [f = hs::compile(affine), a = vector_of(x, n)] { return f(a); }, sampled(sample));
}

Contender our_rows_sum(const float* x, int64_t rows, int64_t columns, Sample<float> sample) {
  return our_contender(
      as_written, [f = hs::compile(rows_sum), a = matrix_of(x, rows, columns)] { return f(a); },
      sampled(sample));
}

Contender our_scatter_add(const uint32_t* x, const int32_t* target, int64_t n, int64_t size,
                          Sample<uint32_t> sample) {
  return our_contender(
      as_written,
      [f = hs::compile(scatter_add), a = vector_of(x, n), t = vector_of(target, n), size] {
        return f(size, a, t);
      },
      sampled(sample));
}

Contender our_loop(const float* x, int64_t n, int32_t steps, Sample<float> sample) {
  return our_contender(
      as_written, [f = hs::compile(loop), a = vector_of(x, n), steps] { return f(steps, a); },
      sampled(sample));
}

}  // namespace bench::gpu
