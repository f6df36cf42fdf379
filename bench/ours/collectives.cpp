// Hasten's side of the cases that move elements.
#include "ours/collectives.hpp"

#include "ours/common.hpp"
#include "ours/programs.hpp"

namespace bench {
std::vector<Contender> our_blur(contenders::GreyImage image, Sample<float> sample) {
  const auto a = lent_matrix(image.pixels, image.height, image.width);
  return with_each_setting(
      [&](const hs::Options& options) {
        return [f = hs::compile(mean_5_by_5, options), a] { return f(a); };
      },
      sampled(sample));
}

Contender our_scan(const float* x, int64_t n, Sample<float> sample) {
  return our_contender(
      as_written, [f = hs::compile(sums), a = lent_vector(x, n)] { return f(a); }, sampled(sample));
}

Contender our_filter(const int32_t* x, int64_t n, Sample<int32_t> sample) {
  return our_contender(
      as_written, [f = hs::compile(positive), a = lent_vector(x, n)] { return f(a); },
      sampled(sample));
}

Contender our_segmented_sum(const float* x, int64_t n, const std::vector<int32_t>& lengths,
                            Sample<float> sample) {
  const auto l = vector_of(lengths.data(), std::ssize(lengths));
  return our_contender(
      as_written, [f = hs::compile(segment_sums), a = lent_vector(x, n), l] { return f(a, l); },
      sampled(sample));
}

Contender our_histogram(int64_t bins, const int32_t* keys, int64_t n, Sample<int64_t> sample) {
  return our_contender(
      as_written, [f = hs::compile(counts), a = lent_vector(keys, n), bins] { return f(bins, a); },
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
        setting, [=, k = lent_vector(keys, n), v = lent_vector(x, n)] { return f(bins, k, v); },
        sampled(sample)));
  };
  add(as_written, hs::Determinism::run_to_run);
  add({"relaxed", Rules::any, hs::FastMath::none}, hs::Determinism::relaxed);
  return all;
}

Contender our_sort(const uint32_t* x, int64_t n, Sample<uint32_t> sample) {
  return our_contender(
      as_written, [f = hs::compile(ascending), a = lent_vector(x, n)] { return f(a); },
      sampled(sample));
}

Contender our_float_sort(const float* x, int64_t n, Sample<float> sample) {
  return our_contender(
      as_written, [f = hs::compile(ascending_floats), a = lent_vector(x, n)] { return f(a); },
      sampled(sample));
}

Contender our_pair_sort(const uint32_t* keys, const uint32_t* values, int64_t n,
                        Sample<uint32_t> sample) {
  return our_contender(
      as_written,
      [f = hs::compile(by_key), k = lent_vector(keys, n), v = lent_vector(values, n)] {
        return f(k, v);
      },
      [sample](const auto& pairs) { return sampled(sample)(std::get<1>(pairs)); });
}

Contender our_row_sort(const uint32_t* x, int64_t rows, int64_t n, Sample<uint32_t> sample) {
  const Matrix<uint32_t> a({rows, n}, std::span(x, static_cast<std::size_t>(rows * n)));
  return our_contender(
      as_written, [f = hs::compile(ascending_rows), a] { return f(a); }, sampled(sample));
}

Contender our_damping(const float* x, int64_t n, Sample<float> sample) {
  return our_contender(
      as_written, [f = hs::compile(damped), a = lent_vector(x, n)] { return f(a); },
      sampled(sample));
}

Contender our_permute(const float* x, const int32_t* target, int64_t n, Sample<float> sample) {
  return our_contender(
      as_written,
      [f = hs::compile(permuted), a = lent_vector(x, n), t = lent_vector(target, n)] {
        return f(a, t);
      },
      sampled(sample));
}

}  // namespace bench
