// Hasten's side of the cases with short axes and with keys, as users would write them.
#include "ours/short_axes.hpp"

#include "ours/common.hpp"

namespace bench {
namespace {

using hs::Acc, hs::Exp, hs::Ix, hs::Matrix, hs::Vector;
using Cube = hs::Array<float, 3>;

Cube lent_cube(const float* data, int64_t a, int64_t b, int64_t c) {
  return Cube::borrow(hs::ix(a, b, c), data, [] {});
}

Acc<Matrix<float>> largest_of_blocks(Acc<Matrix<float>> image) {
  const auto n = hs::shape(image);
  return hs::maximum(hs::maximum_on<1>(hs::reshape(hs::ix(n[0] / 2, 2, n[1] / 2, 2), image)));
}

Acc<Matrix<float>> twice_as_large(Acc<Matrix<float>> image) {
  const auto n = hs::shape(image);
  return hs::backpermute(
      hs::ix(2 * n[0], 2 * n[1]), [](Exp<Ix<2>> i) { return hs::ix(i[0] / 2, i[1] / 2); }, image);
}

Acc<Vector<float>> grey(Acc<Matrix<float>> rgb) {
  return hs::generate(hs::shape(rgb)[0], [=](Exp<int64_t> i) {
    return 0.299f * rgb(i, 0) + 0.587f * rgb(i, 1) + 0.114f * rgb(i, 2);
  });
}

Acc<Vector<float>> channel_sums(Acc<Matrix<float>> rgb) { return hs::sum_on<0>(rgb); }

Acc<Matrix<float>> opaque(Acc<Matrix<float>> rgb) {
  return hs::generate(hs::ix(hs::shape(rgb)[0], 4),
                      [=](Exp<Ix<2>> i) { return hs::select(i[1] < 3, rgb(i[0], i[1]), 1.0f); });
}

Acc<Cube> slopes(Acc<Cube> rgb) {
  return hs::stencil(
      [](auto at) {
        return hs::abs(at(0, 1, 0) - at(0, -1, 0)) + hs::abs(at(1, 0, 0) - at(-1, 0, 0));
      },
      hs::boundary::clamp, rgb);
}

Acc<Cube> features(Acc<Cube> pixels) {
  return hs::stencil(
      [](auto at) {
        return at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) - 4.0f * at(0, 0, 0);
      },
      hs::boundary::outside(0.0f), pixels);
}

Acc<Matrix<float>> frame_sums(Acc<Cube> frames) { return hs::sum_on<0>(frames); }

Acc<Matrix<float>> points(Acc<Matrix<float>> all, Acc<Matrix<float>> matrix) {
  return hs::matmul(all, matrix);
}

Acc<Matrix<float>> largest_so_far(Acc<Matrix<float>> x) {
  return hs::scanl1([](auto a, auto b) { return hs::max(a, b); }, x);
}

Acc<Matrix<float>> five_largest(Acc<Matrix<float>> x) { return hs::top_k(5, x).first; }

Acc<Vector<float>> segment_scans(Acc<Vector<float>> x, Acc<Vector<int32_t>> lengths) {
  return hs::scanl1_seg(std::plus<>{}, x, lengths);
}

Acc<Vector<float>> shares(Acc<Vector<float>> x, Acc<Vector<int32_t>> lengths) {
  const auto sums = hs::fold_seg(std::plus<>{}, 0.0F, x, lengths);
  return hs::zip_with([=](auto value, auto segment) { return value / sums[segment]; }, x,
                      hs::segment_ids(lengths));
}

Acc<Vector<float>> expanded(Acc<Vector<float>> base, Acc<Vector<int32_t>> lengths) {
  return hs::expand([](auto pair) { return hs::get<1>(pair); },
                    [](auto pair, auto k) { return hs::get<0>(pair) + hs::cast<float>(k); },
                    hs::zip(base, lengths));
}

Acc<Cube> transposes(Acc<Cube> a) { return hs::transpose(a); }

Acc<Cube> products(Acc<Cube> a, Acc<Cube> b) {
  return hs::generate(hs::shape(a), [=](Exp<Ix<3>> i) {
    Exp<float> sum = a(i[0], i[1], 0) * b(i[0], 0, i[2]);
    for (int k = 1; k < 3; ++k) sum = sum + a(i[0], i[1], k) * b(i[0], k, i[2]);
    return sum;
  });
}

Acc<Vector<float>> block_sums(Acc<Cube> a) { return hs::sum(hs::sum(a)); }

Acc<Vector<float>> by_turns(Acc<Vector<float>> a, Acc<Vector<float>> b) {
  return hs::generate(2 * hs::size(a),
                      [=](Exp<int64_t> i) { return hs::select(i % 2 == 0, a[i / 2], b[i / 2]); });
}

auto counts(Acc<Vector<int32_t>> keys) { return hs::count_by_key(keys); }

auto sums(Acc<Vector<int32_t>> keys, Acc<Vector<float>> x) { return hs::sum_by_key(keys, x); }

Acc<Vector<float>> group_sums(Exp<int64_t> groups, Acc<Vector<int32_t>> keys,
                              Acc<Vector<float>> x) {
  return hs::permute(
      std::plus<>{}, hs::fill(groups, 0.0f), [=](Exp<int64_t> i) { return keys[i]; }, x);
}

template <class P, class Flatten, class... As>
std::vector<Contender> of(const P& program, const Flatten& flatten, const As&... arguments) {
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(program, options), arguments...] { return f(arguments...); };
      },
      flatten);
}

std::vector<float> numbers_by_key(const auto& result) {
  std::vector<float> all;
  append(all, std::get<1>(result).span());
  return all;
}

}  // namespace

std::vector<Contender> our_pool(contenders::GreyImage image, SampleFloats sample) {
  return of(largest_of_blocks, sampled(sample),
            lent_matrix(image.pixels, image.height, image.width));
}

std::vector<Contender> our_enlargement(contenders::GreyImage image, SampleFloats sample) {
  return of(twice_as_large, sampled(sample), lent_matrix(image.pixels, image.height, image.width));
}

std::vector<Contender> our_grey(const float* rgb, int64_t n, SampleFloats sample) {
  return of(grey, sampled(sample), lent_matrix(rgb, n, 3));
}

std::vector<Contender> our_channel_sums(const float* rgb, int64_t n, SampleFloats sample) {
  return of(channel_sums, sampled(sample), lent_matrix(rgb, n, 3));
}

std::vector<Contender> our_opaque(const float* rgb, int64_t n, SampleFloats sample) {
  return of(opaque, sampled(sample), lent_matrix(rgb, n, 3));
}

std::vector<Contender> our_slopes(const float* rgb, int64_t height, int64_t width,
                                  SampleFloats sample) {
  return of(slopes, sampled(sample), lent_cube(rgb, height, width, 3));
}

std::vector<Contender> our_features(const float* in, int64_t height, int64_t width,
                                    SampleFloats sample) {
  return of(features, sampled(sample), lent_cube(in, height, width, 16));
}

std::vector<Contender> our_frame_sums(const float* in, int64_t n, int64_t height, int64_t width,
                                      SampleFloats sample) {
  return of(frame_sums, sampled(sample), lent_cube(in, n, height, width));
}

std::vector<Contender> our_points(const float* in, const float* matrix, int64_t n,
                                  SampleFloats sample) {
  return of(points, sampled(sample), lent_matrix(in, n, 3), lent_matrix(matrix, 3, 3));
}

std::vector<Contender> our_largest_so_far(const float* in, int64_t rows, int64_t columns,
                                          SampleFloats sample) {
  return of(largest_so_far, sampled(sample), lent_matrix(in, rows, columns));
}

std::vector<Contender> our_five_largest(const float* in, int64_t rows, int64_t columns,
                                        SampleFloats sample) {
  return of(five_largest, sampled(sample), lent_matrix(in, rows, columns));
}

std::vector<Contender> our_segment_scans(const float* in, int64_t n, const int32_t* lengths,
                                         int64_t segments, SampleFloats sample) {
  return of(segment_scans, sampled(sample), lent_vector(in, n), lent_vector(lengths, segments));
}

std::vector<Contender> our_shares(const float* in, int64_t n, const int32_t* lengths,
                                  int64_t segments, SampleFloats sample) {
  return of(shares, sampled(sample), lent_vector(in, n), lent_vector(lengths, segments));
}

std::vector<Contender> our_expand(const float* base, const int32_t* lengths, int64_t segments,
                                  SampleFloats sample) {
  return of(expanded, sampled(sample), lent_vector(base, segments), lent_vector(lengths, segments));
}

std::vector<Contender> our_small_transposes(const float* a, int64_t n, SampleFloats sample) {
  return of(transposes, sampled(sample), lent_cube(a, n, 3, 3));
}

std::vector<Contender> our_small_products(const float* a, const float* b, int64_t n,
                                          SampleFloats sample) {
  return of(products, sampled(sample), lent_cube(a, n, 3, 3), lent_cube(b, n, 3, 3));
}

std::vector<Contender> our_block_sums(const float* a, int64_t n, SampleFloats sample) {
  return of(block_sums, sampled(sample), lent_cube(a, n, 3, 3));
}

std::vector<Contender> our_turns(const float* a, const float* b, int64_t n, SampleFloats sample) {
  return of(by_turns, sampled(sample), lent_vector(a, n), lent_vector(b, n));
}

std::vector<Contender> our_key_counts(const int32_t* keys, int64_t n) {
  return of(
      counts, [](const auto& result) { return numbers_by_key(result); }, lent_vector(keys, n));
}

std::vector<Contender> our_key_sums(const int32_t* keys, const float* x, int64_t n) {
  return of(
      sums, [](const auto& result) { return numbers_by_key(result); }, lent_vector(keys, n),
      lent_vector(x, n));
}

std::vector<Contender> our_group_sums(int64_t groups, const int32_t* keys, const float* x,
                                      int64_t n) {
  const auto all = [](const Vector<float>& sums) { return sums.to_vector(); };
  return of(group_sums, all, groups, lent_vector(keys, n), lent_vector(x, n));
}

}  // namespace bench
