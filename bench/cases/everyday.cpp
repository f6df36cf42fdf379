// The everyday programs on all threads, beside plain loops.
#include <cmath>
#include <random>
#include <string>

#include "cases/cases.hpp"
#include "inputs.hpp"
#include "ours/everyday.hpp"

namespace bench {
namespace {

using contenders::Buffer, contenders::EverydayForm;

// Adds each compilation of the plain loops: run(form) does the work, output() returns its result.
template <class Run, class Output>
std::vector<Record> measured(Case& work, const Settings& settings, const Run& run,
                             const Output& output) {
  for (const EverydayForm* form :
       {&contenders::everyday_strict, &contenders::everyday_o3, &contenders::everyday_fast})
    work.contenders.push_back(
        {form->name, form->rules, false, [&run, form] { run(*form); }, output});
  run(contenders::everyday_strict);
  work.expected = output();
  return measure(work, settings);
}

std::vector<float> all_of(const Buffer<float>& x) { return {x.data(), x.data() + x.size()}; }

std::vector<Record> regression(const Settings& settings) {
  constexpr int64_t rows = 200'000, features = 16, rounds = 20;
  constexpr float rate = 0.5f;
  const auto x = contenders::random_floats(rows * features, -1, 1, 40);
  const auto y = contenders::random_floats(rows, -1, 1, 41);
  const contenders::Observations data{x.data(), y.data(), rows, features};
  const Buffer<float> weights(features);
  Case work = started("everyday/regression", "200000x16 f32, 20 rounds",
                      our_regression(data, rounds, rate));
  work.f32_operations = 4.0 * rows * features * rounds;
  work.tolerance = 1e-2;  // sums of terms of both signs, added in different orders
  work.limits = {contenders::limit_fma_f32()};
  return measured(
      work, settings,
      [&](const EverydayForm& form) { form.regression(data, rounds, rate, weights.data()); },
      [&] { return thinned(weights.data(), features); });
}

std::vector<Record> network(const Settings& settings) {
  constexpr contenders::NetworkSizes n{1024, 256, 128, 10};
  constexpr float rate = 0.1f;
  const auto x = contenders::random_floats(n.rows * n.inputs, -1, 1, 42);
  const auto before = contenders::random_floats(n.numbers(), -0.1f, 0.1f, 43);
  const Buffer<float> after(n.numbers());
  const Buffer<int32_t> classes(n.rows);
  std::mt19937 random(44);
  for (int32_t& c : classes.span()) c = static_cast<int32_t>(random() % 10);
  Case work = started("everyday/network", "1024 rows, 256-128-10 f32",
                      our_training(n, rate, x.data(), classes.data(), before.data()));
  work.f32_operations =
      static_cast<double>(n.rows) * (4.0 * n.inputs * n.hidden + 6.0 * n.hidden * n.classes);
  work.limits = {contenders::limit_fma_f32()};
  return measured(
      work, settings,
      [&](const EverydayForm& form) {
        form.train(n, rate, x.data(), classes.data(), before.data(), after.data());
      },
      [&] { return all_of(after); });
}

std::vector<Record> convolution(const Settings& settings) {
  constexpr contenders::ConvolutionSizes n{64, 64, 128, 128};
  const auto picture = contenders::random_floats(n.picture(), -1, 1, 46);
  const auto weights = contenders::random_floats(n.weights(), -1, 1, 47);
  const Buffer<float> out(n.results());
  Case work = started("everyday/convolution", "64 to 64 channels, 3x3, 128x128 f32",
                      our_convolution(n, picture.data(), weights.data()));
  work.f32_operations = 2.0 * static_cast<double>(n.weights() * n.height * n.width);
  work.tolerance = 1e-3;  // sums of terms of both signs, added in different orders
  work.limits = {contenders::limit_fma_f32()};
  return measured(
      work, settings,
      [&](const EverydayForm& form) {
        form.convolve(n, picture.data(), weights.data(), out.data());
      },
      [&] { return thinned(out.data(), out.size()); });
}

std::vector<Record> lattice(const Settings& settings) {
  constexpr int64_t rows = 1024, columns = 1024, cells = rows * columns, steps = 10;
  constexpr float rate = 1.2f;
  const auto start = contenders::random_floats(9 * cells, 0.05f, 0.15f, 45);
  const Buffer<float> result(9 * cells), scratch(9 * cells);
  Case work = started("everyday/lattice", "1024x1024x9 f32, 10 steps",
                      our_lattice(start.data(), rows, columns, rate, steps));
  work.bytes = 72.0 * cells * steps;
  work.limits = {contenders::limit_copy(), contenders::limit_copy_stream()};
  return measured(
      work, settings,
      [&](const EverydayForm& form) {
        form.lattice(start.data(), result.data(), scratch.data(), rows, columns, rate, steps);
      },
      [&] {
        std::vector<float> all = thinned(result.data(), cells);
        for (const float p : thinned(result.data() + 5 * cells, cells)) all.push_back(p);
        return all;
      });
}

std::vector<Record> heat(const Settings& settings) {
  constexpr int64_t rows = 1024, columns = 1024, steps = 100;
  constexpr float rate = 0.2f, hot = 10, cold = -3;
  const auto start = contenders::random_floats(rows * columns, -1, 1, 46);
  const Buffer<float> result(rows * columns), scratch(rows * columns);
  Case work = started("everyday/heat", "1024x1024 f32, 100 steps",
                      our_heat(start.data(), rows, columns, rate, hot, cold, steps));
  work.bytes = 8.0 * rows * columns * steps;
  work.limits = {contenders::limit_copy()};
  return measured(
      work, settings,
      [&](const EverydayForm& form) {
        form.heat(start.data(), result.data(), scratch.data(), rows, columns, rate, hot, cold,
                  steps);
      },
      [&] { return thinned(result.data(), rows * columns); });
}

std::vector<Record> barrier(const Settings& settings) {
  constexpr int64_t paths = 200'000, quarters = 13;
  constexpr contenders::BarrierCall option{100, 100, 130, 1, 0.05f, 0.2f};
  float price = 0;
  Case work = started("everyday/barrier", "200000 paths, 52 steps f32",
                      our_barrier(paths, quarters, 7, option));
  work.f32_operations = 60.0 * paths * quarters * 4;
  work.limits = {contenders::limit_fma_f32()};
  return measured(
      work, settings,
      [&](const EverydayForm& form) { price = form.barrier(paths, quarters, 7, option); },
      [&] { return std::vector<float>{price}; });
}

// A few customers have most of the sales, as in real data; `spread` spaces their numbers out.
template <class T>
Buffer<T> random_customers(int64_t n, int64_t count, T spread, uint32_t stream) {
  const auto u = contenders::random_floats(n, 0, 1, stream);
  Buffer<T> customers(n);
  for (int64_t i = 0; i < n; ++i)
    customers[i] = static_cast<T>(std::pow(double{u[i]}, 3) * static_cast<double>(count)) * spread;
  return customers;
}

std::vector<float> joined(const contenders::TopTotals& top) {
  std::vector<float> all(top.keys.begin(), top.keys.end());
  all.insert(all.end(), top.totals.begin(), top.totals.end());
  return all;
}

std::vector<Record> customers(const Settings& settings) {
  constexpr int64_t n = 4'000'000;
  const auto keys = random_customers<int64_t>(n, 10'000, 7'777'777'777, 47);
  const auto amounts = contenders::random_floats(n, 1, 100, 48);
  contenders::TopTotals result;
  Case work = started("everyday/group-by", "4000000 rows, 10000 keys i64",
                      our_top_customers(keys.data(), amounts.data(), n));
  work.bytes = 12.0 * n;
  work.tolerance = 1e-3;  // plain loops add tens of thousands of floats one by one
  work.limits = {contenders::limit_read()};
  return measured(
      work, settings,
      [&](const EverydayForm& form) {
        result = form.top_customers(top, keys.data(), amounts.data(), n);
      },
      [&] { return joined(result); });
}

std::vector<Record> categories(const Settings& settings) {
  constexpr int64_t n = 4'000'000, count = 10'000;
  const auto keys = random_customers<int32_t>(n, count, 1, 47);
  const auto amounts = contenders::random_floats(n, 1, 100, 48);
  contenders::TopTotals result;
  Case work = started("everyday/group-by-category", "4000000 rows, 10000 categories",
                      our_top_categories(count, keys.data(), amounts.data(), n));
  work.bytes = 8.0 * n;
  work.tolerance = 1e-3;
  work.limits = {contenders::limit_read()};
  return measured(
      work, settings,
      [&](const EverydayForm& form) {
        result = form.top_categories(top, count, keys.data(), amounts.data(), n);
      },
      [&] { return joined(result); });
}

std::vector<Record> neighbours(const Settings& settings) {
  constexpr int64_t n = 200'000;
  const auto x = contenders::random_floats(n, 0, 1, 49), y = contenders::random_floats(n, 0, 1, 50);
  const contenders::Points points{x.data(), y.data(), n};
  const Buffer<float> distances(n);
  const Buffer<int64_t> places(n);
  Case work = started("everyday/neighbours", "200000 points f32", our_neighbours(points));
  work.bytes = 12.0 * n;
  work.may_differ = 0.02;  // which of two points with equal x comes first is not determined
  work.limits = {contenders::limit_read()};
  return measured(
      work, settings,
      [&](const EverydayForm& form) {
        form.nearest_neighbours(points, distances.data(), places.data());
      },
      [&] { return thinned(distances.data(), n); });
}

// Words of two to nine letters, some of them frequent.
std::string random_text(std::size_t size) {
  std::mt19937 random(51);
  std::string text;
  while (text.size() < size) {
    const double u = static_cast<double>(random()) / 4294967296.0;
    auto word = static_cast<uint32_t>(u * u * u * 20'000) * 2654435761u;
    const auto length = 2 + word % 8;
    for (uint32_t i = 0; i < length; ++i, word = word * 1664525u + 1013904223u)
      text += static_cast<char>('a' + (word >> 24) % 26);
    text += random() % 16 == 0 ? '\n' : ' ';
  }
  text.resize(size);
  return text;
}

std::vector<Record> words(const Settings& settings) {
  const std::string text = random_text(std::size_t{16} << 20);
  const auto n = std::ssize(text);
  contenders::FrequentWords result;
  Case work = started("everyday/words", "16 MiB of text", our_words(text.data(), n));
  work.bytes = static_cast<double>(n);
  work.limits = {contenders::limit_read()};
  return measured(
      work, settings,
      [&](const EverydayForm& form) { result = form.word_count(top, text.data(), n); },
      [&] {
        std::vector<float> all{static_cast<float>(result.words)};
        all.insert(all.end(), result.places.begin(), result.places.end());
        all.insert(all.end(), result.counts.begin(), result.counts.end());
        return all;
      });
}

}  // namespace

std::vector<Benchmark> everyday_benchmarks() {
  return {{"everyday/regression", regression},
          {"everyday/network", network},
          {"everyday/convolution", convolution},
          {"everyday/lattice", lattice},
          {"everyday/group-by", customers},
          {"everyday/group-by-category", categories},
          {"everyday/heat", heat},
          {"everyday/neighbours", neighbours},
          {"everyday/words", words},
          {"everyday/barrier", barrier}};
}

}  // namespace bench
