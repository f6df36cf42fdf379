// Elements and folds of elements that are written by index, beside plain loops: extents that only a
// call knows, reads in branches, products before a loop, and indices in turns.
#include "everyday/by_index.hpp"

#include <string>

#include "cases/cases.hpp"
#include "inputs.hpp"
#include "ours/by_index.hpp"

namespace bench {
namespace {

using contenders::AttentionSizes, contenders::Buffer, contenders::ByIndexForm;

std::vector<float> some_of(const float* data, int64_t n) {
  const int64_t step = n > 1000 ? 61 : 1;
  std::vector<float> result;
  for (int64_t i = 0; i < n; i += step) result.push_back(data[i]);
  return result;
}

// run(form) does the work, whose result is in `out`.
template <class Run>
std::vector<Record> measured(Case& work, const Settings& settings, const Buffer<float>& out,
                             const Run& run) {
  const auto output = [&] { return some_of(out.data(), out.size()); };
  for (const ByIndexForm* form :
       {&contenders::by_index_strict, &contenders::by_index_o3, &contenders::by_index_fast})
    work.contenders.push_back(
        {form->name, form->rules, false, [&run, form] { run(*form); }, output});
  run(contenders::by_index_strict);
  work.expected = output();
  return measure(work, settings);
}

std::vector<Record> column_sums(const Settings& settings) {
  constexpr int64_t rows = 2048, columns = 4096;
  const auto a = contenders::random_floats(rows * columns, 0, 1, 101);
  const Buffer<float> out(columns);
  Case work = started("index/column-sums", "2048x4096 f32",
                      our_indexed_column_sums(a.data(), rows, columns, some_of));
  work.bytes = 4.0 * rows * columns;
  work.limits = {contenders::limit_read()};
  return measured(work, settings, out, [&](const ByIndexForm& form) {
    form.column_sums(a.data(), rows, columns, out.data());
  });
}

std::vector<Record> attention(const Settings& settings) {
  constexpr AttentionSizes n{8, 512, 64};
  const auto q = contenders::random_floats(n.numbers(), -1, 1, 102),
             k = contenders::random_floats(n.numbers(), -1, 1, 103),
             v = contenders::random_floats(n.numbers(), -1, 1, 104);
  const Buffer<float> out(n.numbers());
  Case work = started("index/attention", "8 heads of 512x64 f32, causal",
                      our_indexed_attention(n, q.data(), k.data(), v.data(), some_of));
  work.f32_operations = 4.0 * static_cast<double>(n.numbers() * n.tokens);
  work.tolerance = 1e-4;  // sums of terms of both signs, added in different orders
  work.limits = {contenders::limit_fma_f32()};
  return measured(work, settings, out, [&](const ByIndexForm& form) {
    form.attention(n, q.data(), k.data(), v.data(), out.data());
  });
}

std::vector<Record> nearest(const Settings& settings) {
  constexpr int64_t n = 6000;
  const auto points = contenders::random_floats(3 * n, 0, 1, 105);
  const Buffer<float> out(n);
  Case work =
      started("index/nearest", "6000 points f32", our_indexed_nearest(points.data(), n, some_of));
  work.f32_operations = 9.0 * n * n;
  work.tolerance = 1e-4;
  work.limits = {contenders::limit_fma_f32()};
  return measured(work, settings, out,
                  [&](const ByIndexForm& form) { form.nearest(points.data(), n, out.data()); });
}

std::vector<Record> descent(const Settings& settings) {
  constexpr int64_t rows = 20'000, columns = 64, rounds = 50;
  constexpr float rate = 0.5f;
  const auto x = contenders::random_floats(rows * columns, -1, 1, 106),
             y = contenders::random_floats(rows, -1, 1, 107);
  const Buffer<float> out(columns);
  Case work =
      started("index/descent", "20000x64 f32, 50 rounds",
              our_indexed_descent(x.data(), y.data(), rows, columns, rounds, rate, some_of));
  work.f32_operations = 2.0 * rows * columns * columns;
  work.tolerance = 1e-2;  // sums of terms of both signs
  work.limits = {contenders::limit_fma_f32()};
  return measured(work, settings, out, [&](const ByIndexForm& form) {
    form.descent(x.data(), y.data(), rows, columns, rounds, rate, out.data());
  });
}

std::vector<Record> transpose(const Settings& settings) {
  constexpr int64_t rows = 4096, columns = 4096;
  const auto a = contenders::random_floats(rows * columns, 0, 1, 107);
  const Buffer<float> out(rows * columns);
  Case work = started("index/transpose", "4096x4096 f32",
                      our_indexed_transpose(a.data(), rows, columns, some_of));
  work.bytes = 8.0 * rows * columns;
  work.limits = {contenders::limit_copy_stream()};
  return measured(work, settings, out, [&](const ByIndexForm& form) {
    form.transpose(a.data(), rows, columns, out.data());
  });
}

std::vector<Record> pixels(const Settings& settings) {
  constexpr int64_t n = 8'000'000;
  const auto planes = contenders::random_floats(3 * n, 0, 1, 108);
  const Buffer<float> out(3 * n);
  Case work = started("index/pixels", "8000000 pixels of 3 f32",
                      our_indexed_pixels(planes.data(), n, some_of));
  work.bytes = 24.0 * n;
  work.limits = {contenders::limit_copy_stream()};
  return measured(work, settings, out,
                  [&](const ByIndexForm& form) { form.pixels(planes.data(), n, out.data()); });
}

}  // namespace

std::vector<Benchmark> by_index_benchmarks() {
  return {{"index/column-sums", column_sums}, {"index/attention", attention},
          {"index/nearest", nearest},         {"index/descent", descent},
          {"index/transpose", transpose},     {"index/pixels", pixels}};
}

}  // namespace bench
