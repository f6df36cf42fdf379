// Hasten's side of the cases that are written by index, as users would write them.
#include "ours/by_index.hpp"

#include "ours/common.hpp"

#include <cmath>
#include <limits>
#include <span>

namespace bench {
namespace {

using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Vector;
using Cube = hs::Array<float, 3>;

// The extents are numbers of the call: nothing in the program says that they are the matrix'.
Acc<Vector<float>> column_sums(Acc<Matrix<float>> a, Exp<int64_t> rows, Exp<int64_t> columns) {
  return hs::sum(hs::generate(hs::ix(columns, rows), [=](Exp<Ix<2>> i) { return a(i[1], i[0]); }));
}

Acc<Vector<float>> attention(Acc<Cube> q, Acc<Cube> k, Acc<Cube> v, Exp<float> scale) {
  const auto n = hs::shape(q);
  const auto heads = n[0], tokens = n[1], width = n[2];
  const auto scores = hs::sum(hs::generate(hs::ix(heads, tokens, tokens, width), [=](Exp<Ix<4>> i) {
    return q(i[0], i[1], i[3]) * k(i[0], i[2], i[3]);
  }));
  const auto weights = hs::softmax(hs::imap(
      [=](Exp<Ix<3>> i, Exp<float> x) {
        return hs::select(i[2] > i[1], -std::numeric_limits<float>::infinity(), scale * x);
      },
      scores));
  return hs::flatten(hs::sum(hs::generate(hs::ix(heads, tokens, width, tokens), [=](Exp<Ix<4>> i) {
    return weights(i[0], i[1], i[3]) * v(i[0], i[3], i[2]);
  })));
}

Acc<Vector<float>> nearest(Acc<Matrix<float>> points) {
  const auto n = hs::shape(points)[0];
  return hs::minimum(hs::generate(hs::ix(n, n), [=](Exp<Ix<2>> i) {
    const auto x = points(i[0], 0) - points(i[1], 0), y = points(i[0], 1) - points(i[1], 1),
               z = points(i[0], 2) - points(i[1], 2);
    return hs::select(i[0] == i[1], std::numeric_limits<float>::max(), x * x + y * y + z * z);
  }));
}

// The products do not change from round to round; where they are written says nothing of it.
Acc<Vector<float>> descent(Acc<Matrix<float>> x, Acc<Vector<float>> y, Exp<int64_t> rounds,
                           Exp<float> rate) {
  const auto gram = hs::matmul(hs::transpose(x), x);
  const auto target = hs::matmul(y, x);
  const auto scale = rate / hs::cast<float>(hs::shape(x)[0]);
  return hs::aiterate(
      rounds,
      [=](Acc<Vector<float>> w) {
        return hs::zip_with([=](auto a, auto b, auto c) { return a - scale * (b - c); }, w,
                            hs::matmul(gram, w), target);
      },
      hs::fill(hs::shape(x)[1], Exp<float>(0.0f)));
}

Acc<Matrix<float>> transposed(Acc<Matrix<float>> a) {
  const auto n = hs::shape(a);
  return hs::generate(hs::ix(n[1], n[0]), [=](Exp<Ix<2>> i) { return a(i[1], i[0]); });
}

Acc<Vector<float>> pixels(Acc<Vector<float>> planes) {
  const auto n = hs::size(planes) / 3;
  return hs::generate(3 * n, [=](Exp<int64_t> i) { return planes[i % 3 * n + i / 3]; });
}

Cube cube_of(const float* data, contenders::AttentionSizes n) {
  return {hs::ix(n.heads, n.tokens, n.width),
          std::span<const float>(data, static_cast<std::size_t>(n.numbers()))};
}

template <class P, class... As>
std::vector<Contender> of(const P& program, SampleResult sample, const As&... arguments) {
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(program, options), arguments...] { return f(arguments...); };
      },
      sampled(sample));
}

}  // namespace

std::vector<Contender> our_indexed_column_sums(const float* a, int64_t rows, int64_t columns,
                                               SampleResult sample) {
  return of(column_sums, sample, matrix_of(a, rows, columns), rows, columns);
}

std::vector<Contender> our_indexed_attention(contenders::AttentionSizes n, const float* q,
                                             const float* k, const float* v, SampleResult sample) {
  return of(attention, sample, cube_of(q, n), cube_of(k, n), cube_of(v, n),
            1 / std::sqrt(static_cast<float>(n.width)));
}

std::vector<Contender> our_indexed_nearest(const float* points, int64_t n, SampleResult sample) {
  return of(nearest, sample, matrix_of(points, n, 3));
}

std::vector<Contender> our_indexed_descent(const float* x, const float* y, int64_t rows,
                                           int64_t columns, int64_t rounds, float rate,
                                           SampleResult sample) {
  return of(descent, sample, matrix_of(x, rows, columns), vector_of(y, rows), rounds, rate);
}

std::vector<Contender> our_indexed_transpose(const float* a, int64_t rows, int64_t columns,
                                             SampleResult sample) {
  return of(transposed, sample, matrix_of(a, rows, columns));
}

std::vector<Contender> our_indexed_pixels(const float* planes, int64_t n, SampleResult sample) {
  return of(pixels, sample, vector_of(planes, 3 * n));
}

}  // namespace bench
