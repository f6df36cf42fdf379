// Cases bound by bandwidth: sum, dot product, saxpy, Sobel; and the machine's limits themselves.
#include <tbb/task_arena.h>

#include <memory>

#include "cases/cases.hpp"
#include "contenders.hpp"
#include "inputs.hpp"
#include "ours/ours.hpp"
#include "plain.hpp"

namespace bench {
namespace {

constexpr int64_t many = 20'000'000;

template <class T>
std::vector<float> copied(const contenders::Buffer<T>& buffer) {
  return {buffer.data(), buffer.data() + buffer.size()};
}

Contender scalar_contender(std::string name, Rules rules, std::function<float()> f) {
  auto result = std::make_shared<float>();
  return {std::move(name), rules, false, [=] { *result = f(); },
          [=] { return std::vector<float>{*result}; }};
}

// Hasten's contenders come first: the harness takes the first of them as the program as written.
std::vector<Record> sum_20m(const Settings& settings) {
  const auto x = contenders::random_floats(many, 0, 1, 11);
  Case work = started("sum", "20000000 f32", our_sum(x.data(), many));
  work.bytes = 4.0 * many;
  work.expected = {static_cast<float>(contenders::plain::sum(x.data(), many))};
  for (auto& c : contenders::sums())
    work.contenders.push_back(
        scalar_contender(c.name, c.rules, [&x, run = c.run] { return run(x.data(), many); }));
  work.limits = {contenders::limit_read()};
  return measure(work, settings);
}

std::vector<Record> dot_20m(const Settings& settings) {
  const auto x = contenders::random_floats(many, -1, 1, 12);
  const auto y = contenders::random_floats(many, 0, 1, 13);
  Case work = started("dot", "20000000 f32", our_dot(x.data(), y.data(), many));
  work.bytes = 8.0 * many;
  // Terms of both signs nearly cancel, which magnifies rounding.
  work.tolerance = 1e-3;
  work.expected = {static_cast<float>(contenders::plain::dot(x.data(), y.data(), many))};
  for (auto& c : contenders::dots())
    work.contenders.push_back(scalar_contender(
        c.name, c.rules, [&, run = c.run] { return run(x.data(), y.data(), many); }));
  work.limits = {contenders::limit_read()};
  return measure(work, settings);
}

std::vector<Record> saxpy_20m(const Settings& settings) {
  constexpr float a = 2.5f;
  const auto x = contenders::random_floats(many, -1, 1, 14);
  const auto y = contenders::random_floats(many, -1, 1, 15);
  const contenders::Buffer<float> out(many);
  Case work = started("saxpy", "20000000 f32", our_saxpy(a, x.data(), y.data(), many));
  work.bytes = 12.0 * many;
  contenders::plain::saxpy(a, x.data(), y.data(), out.data(), many);
  work.expected = copied(out);
  for (auto& c : contenders::saxpys())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(a, x.data(), y.data(), out.data(), many); },
                               [&] { return copied(out); }});
  work.limits = {contenders::limit_triad(), contenders::limit_triad_stream()};
  return measure(work, settings);
}

std::vector<Record> sobel_7m(const Settings& settings) {
  constexpr int64_t width = 3000, height = 2400;
  const auto pixels = contenders::test_image(width, height);
  const contenders::GreyImage image{pixels.data(), width, height};
  const contenders::Buffer<float> out(width * height);
  Case work = started("sobel", "3000x2400 f32", our_sobel(image));
  work.bytes = 8.0 * width * height;
  contenders::plain::sobel(image, out.data());
  work.expected = copied(out);
  for (auto& c : contenders::sobels())
    work.contenders.push_back({c.name, c.rules, false, [&, run = c.run] { run(image, out.data()); },
                               [&] { return copied(out); }});
  work.limits = {contenders::limit_copy(), contenders::limit_copy_stream()};
  return measure(work, settings);
}

// Measures each limit on this many threads. The rate is in the field that holds the limit of other
// records.
std::vector<Record> limits_on(int threads, const Settings& settings) {
  std::vector<Record> records;
  tbb::task_arena arena(threads);
  arena.execute([&] {
    const auto limits = contenders::all_limits();
    std::vector<std::function<void()>> programs;
    for (const auto& limit : limits) programs.push_back(limit.run);
    const auto measured = contenders::measure_interleaved(programs, settings.rounds);
    for (std::size_t i = 0; i < limits.size(); ++i) {
      Record r;
      r.name = "limit/" + limits[i].name;
      r.target = "machine";
      r.threads = threads;
      r.best_ms = measured[i].median_ms;
      r.best_name = limits[i].name;
      r.limit_name = limits[i].name;
      r.limit_rate = limits[i].amount / measured[i].median_ms * 1e-6;
      r.limit_unit = limits[i].resource == contenders::Resource::bandwidth ? "GB/s" : "GFLOP/s";
      records.push_back(r);
    }
  });
  return records;
}

std::vector<Record> limits(const Settings& settings) {
  auto records = limits_on(1, settings);
  if (settings.threads > 1)
    for (auto& r : limits_on(settings.threads, settings)) records.push_back(std::move(r));
  return records;
}

}  // namespace

std::vector<Benchmark> limit_benchmarks() { return {{"limits", limits}}; }

std::vector<Benchmark> memory_benchmarks() {
  return {{"dot", dot_20m}, {"saxpy", saxpy_20m}, {"sum", sum_20m}, {"sobel", sobel_7m}};
}

}  // namespace bench
