// Hasten's side of the cases whose elements move.
#include "ours/collectives.hpp"

#include "ours/common.hpp"

namespace bench {
namespace {

using hs::Acc, hs::Exp, hs::Matrix, hs::Vector;

Acc<Matrix<float>> mean_5_by_5(Acc<Matrix<float>> image) {
  const auto mean = [](auto at) {
    Exp<float> sum = 0.0f;
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j) sum += at(i, j);
    return sum / 25.0f;
  };
  return hs::stencil(mean, hs::boundary::clamp, image);
}

Acc<Vector<float>> sums(Acc<Vector<float>> x) { return hs::scanl1(std::plus<>{}, x); }

Acc<Vector<int32_t>> positive(Acc<Vector<int32_t>> x) {
  return hs::filter([](auto v) { return v > 0; }, x);
}

Acc<Vector<float>> segment_sums(Acc<Vector<float>> x, Acc<Vector<int32_t>> lengths) {
  return hs::fold_seg(std::plus<>{}, 0.0f, x, lengths);
}

Acc<Vector<int64_t>> counts(Exp<int64_t> bins, Acc<Vector<int32_t>> keys) {
  return hs::histogram(bins, [](auto key) { return key; }, keys);
}

Acc<Vector<float>> sums_by_place(Exp<int64_t> bins, Acc<Vector<int32_t>> keys,
                                 Acc<Vector<float>> x) {
  return hs::permute(std::plus<>{}, hs::fill(bins, 0.0f), [=](auto i) { return keys[i]; }, x);
}

Acc<Vector<uint32_t>> ascending(Acc<Vector<uint32_t>> x) { return hs::sort(x); }

Acc<Vector<float>> permuted(Acc<Vector<float>> x, Acc<Vector<int32_t>> target) {
  return hs::permute_unique(hs::fill(hs::size(x), 0.0f), [=](auto i) { return target[i]; }, x);
}

}  // namespace

Contender our_blur(contenders::GreyImage image, Sample<float> sample) {
  const auto a = matrix_of(image.pixels, image.height, image.width);
  return our_contender(
      as_written, [f = hs::compile(mean_5_by_5), a] { return f(a); }, sampled(sample));
}

Contender our_scan(const float* x, int64_t n, Sample<float> sample) {
  return our_contender(
      as_written, [f = hs::compile(sums), a = vector_of(x, n)] { return f(a); }, sampled(sample));
}

Contender our_filter(const int32_t* x, int64_t n, Sample<int32_t> sample) {
  return our_contender(
      as_written, [f = hs::compile(positive), a = vector_of(x, n)] { return f(a); },
      sampled(sample));
}

Contender our_segmented_sum(const float* x, int64_t n, const std::vector<int32_t>& lengths,
                            Sample<float> sample) {
  const auto l = vector_of(lengths.data(), std::ssize(lengths));
  return our_contender(
      as_written, [f = hs::compile(segment_sums), a = vector_of(x, n), l] { return f(a, l); },
      sampled(sample));
}

Contender our_histogram(int64_t bins, const int32_t* keys, int64_t n, Sample<int64_t> sample) {
  return our_contender(
      as_written, [f = hs::compile(counts), a = vector_of(keys, n), bins] { return f(bins, a); },
      sampled(sample));
}

std::vector<Contender> our_scatter_adds(int64_t bins, const int32_t* keys, const float* x,
                                        int64_t n, Sample<float> sample) {
  std::vector<Contender> all;
  const auto add = [&](const Setting& setting, hs::Determinism determinism) {
    hs::Options options;
    options.determinism = determinism;
    const auto f = hs::compile(sums_by_place, options);
    all.push_back(our_contender(
        setting, [=, k = vector_of(keys, n), v = vector_of(x, n)] { return f(bins, k, v); },
        sampled(sample)));
  };
  add(as_written, hs::Determinism::run_to_run);
  add({"relaxed", Rules::any, hs::FastMath::none}, hs::Determinism::relaxed);
  return all;
}

Contender our_sort(const uint32_t* x, int64_t n, Sample<uint32_t> sample) {
  return our_contender(
      as_written, [f = hs::compile(ascending), a = vector_of(x, n)] { return f(a); },
      sampled(sample));
}

Contender our_permute(const float* x, const int32_t* target, int64_t n, Sample<float> sample) {
  return our_contender(
      as_written,
      [f = hs::compile(permuted), a = vector_of(x, n), t = vector_of(target, n)] {
        return f(a, t);
      },
      sampled(sample));
}

}  // namespace bench
