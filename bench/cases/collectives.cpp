// Cases that move elements: stencils, scans, choosing, sorting, scattering.
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <random>

#include "cases/cases.hpp"
#include "collectives.hpp"
#include "inputs.hpp"
#include "ours/collectives.hpp"

namespace bench {
namespace {

using contenders::Buffer;

// Only every `stride`-th number of a long result is compared.
constexpr int64_t stride = 61;

template <class T>
std::vector<float> sample(const T* data, int64_t n) {
  std::vector<float> result;
  for (int64_t i = 0; i < n; i += stride) result.push_back(static_cast<float>(data[i]));
  if (n > 0) result.push_back(static_cast<float>(data[n - 1]));
  return result;
}

template <class T>
Buffer<T> random_numbers(int64_t n, uint64_t below, uint32_t seed) {
  Buffer<T> numbers(n);
  std::mt19937_64 random(seed);
  for (T& x : numbers.span()) x = static_cast<T>(random() % below);
  return numbers;
}

Case started(std::string name, std::string size, double bytes, Contender ours) {
  Case work;
  work.name = std::move(name);
  work.size = std::move(size);
  work.bytes = bytes;
  work.contenders = {std::move(ours)};
  work.limits = {contenders::limit_copy(), contenders::limit_copy_stream()};
  return work;
}

std::vector<Record> blur(const Settings& settings) {
  constexpr int64_t width = 3000, height = 2400;
  const auto pixels = contenders::test_image(width, height);
  const contenders::GreyImage image{pixels.data(), width, height};
  const Buffer<float> out(width * height);
  Case work;
  work.name = "blur";
  work.size = "3000x2400 f32";
  work.bytes = 8.0 * width * height;
  work.contenders = our_blur(image, sample);
  work.limits = {contenders::limit_copy(), contenders::limit_copy_stream()};
  contenders::plain::blur(image, out.data());
  work.expected = sample(out.data(), out.size());
  for (auto& c : contenders::blurs())
    work.contenders.push_back({c.name, c.rules, false, [&, run = c.run] { run(image, out.data()); },
                               [&] { return sample(out.data(), out.size()); }});
  return measure(work, settings);
}

std::vector<Record> scan(const Settings& settings) {
  constexpr int64_t n = 100'000'000;
  const auto x = contenders::random_floats(n, -1, 1, 21);
  const Buffer<float> out(n);
  Case work = started("scan", "100000000 f32", 8.0 * n, our_scan(x.data(), n, sample));
  contenders::plain::scan(x.data(), out.data(), n);
  work.expected = sample(out.data(), n);
  work.tolerance = 1e-2;  // sums of terms of both signs are near 0
  for (auto& c : contenders::scans())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(x.data(), out.data(), n); },
                               [&] { return sample(out.data(), n); }});
  return measure(work, settings);
}

std::vector<Record> filter(const Settings& settings) {
  constexpr int64_t n = 50'000'000;
  const auto x = random_numbers<int32_t>(n, uint64_t{1} << 32, 22);
  const Buffer<int32_t> out(n);
  Case work = started("filter", "50000000 i32", 6.0 * n, our_filter(x.data(), n, sample));
  auto kept = std::make_shared<int64_t>(contenders::plain::filter(x.data(), out.data(), n));
  work.expected = sample(out.data(), *kept);
  for (auto& c : contenders::filters())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, kept, run = c.run] { *kept = run(x.data(), out.data(), n); },
                               [&, kept] { return sample(out.data(), *kept); }});
  return measure(work, settings);
}

std::vector<Record> segmented(const char* name, std::vector<int32_t> lengths,
                              const Settings& settings) {
  std::vector<int64_t> offsets(lengths.size() + 1);
  std::inclusive_scan(lengths.begin(), lengths.end(), offsets.begin() + 1, std::plus<>{},
                      int64_t{0});
  const int64_t n = offsets.back(), segments = std::ssize(lengths);
  const auto x = contenders::random_floats(n, 0, 1, 23);
  const Buffer<float> out(segments);
  Case work = started(name, std::to_string(n) + " f32", 4.0 * n + 8.0 * segments,
                      our_segmented_sum(x.data(), n, lengths, sample));
  contenders::plain::segmented_sum(x.data(), offsets.data(), out.data(), segments);
  work.expected = sample(out.data(), segments);
  work.tolerance = 1e-3;  // the segments are long
  work.limits = {contenders::limit_read()};
  for (auto& c : contenders::segmented_sums())
    work.contenders.push_back(
        {c.name, c.rules, false,
         [&, run = c.run] { run(x.data(), offsets.data(), out.data(), segments); },
         [&] { return sample(out.data(), segments); }});
  return measure(work, settings);
}

std::vector<Record> short_segments(const Settings& settings) {
  std::mt19937 random(24);
  std::vector<int32_t> lengths;
  for (int64_t left = 50'000'000; left > 0; left -= lengths.back())
    lengths.push_back(static_cast<int32_t>(std::min<int64_t>(left, 1 + random() % 100)));
  return segmented("segmented-sum", std::move(lengths), settings);
}

std::vector<Record> long_segments(const Settings& settings) {
  return segmented("segmented-sum-long", {30'000'000, 1, 0, 19'999'999}, settings);
}

std::vector<Record> histogram(const char* name, int64_t bins, const Settings& settings) {
  constexpr int64_t n = 50'000'000;
  const auto keys = random_numbers<int32_t>(n, static_cast<uint64_t>(bins), 25);
  const Buffer<int64_t> out(bins);
  Case work = started(name, "50000000 i32", 4.0 * n, our_histogram(bins, keys.data(), n, sample));
  contenders::plain::histogram(keys.data(), out.data(), bins, n);
  work.expected = sample(out.data(), bins);
  work.limits = {contenders::limit_read()};
  for (auto& c : contenders::histograms())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(keys.data(), out.data(), bins, n); },
                               [&] { return sample(out.data(), bins); }});
  return measure(work, settings);
}

std::vector<Record> scatter_add(const Settings& settings) {
  constexpr int64_t n = 20'000'000, bins = 4096;
  const auto keys = random_numbers<int32_t>(n, bins, 29);
  const auto x = contenders::random_floats(n, 0, 1, 30);
  const Buffer<float> out(bins);
  auto ours = our_scatter_adds(bins, keys.data(), x.data(), n, sample);
  Case work = started("scatter-add", "20000000 f32", 8.0 * n, ours[0]);
  work.contenders = ours;
  contenders::plain::scatter_add(keys.data(), x.data(), out.data(), bins, n);
  work.expected = sample(out.data(), bins);
  work.limits = {contenders::limit_read()};
  for (auto& c : contenders::scatter_adds())
    work.contenders.push_back(
        {c.name, c.rules, false,
         [&, run = c.run] { run(keys.data(), x.data(), out.data(), bins, n); },
         [&] { return sample(out.data(), bins); }});
  return measure(work, settings);
}

template <class T>
using Sort = void(const T* x, T* out, int64_t n);

template <class T>
std::vector<Record> sorting(const char* name, const char* size, const Buffer<T>& x, Contender ours,
                            Sort<T>* plain, const std::vector<contenders::Named<Sort<T>>>& others,
                            const Settings& settings) {
  const int64_t n = x.size();
  const Buffer<T> out(n);
  Case work = started(name, size, 8.0 * static_cast<double>(n), std::move(ours));
  plain(x.data(), out.data(), n);
  work.expected = sample(out.data(), n);
  for (const auto& c : others)
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(x.data(), out.data(), n); },
                               [&] { return sample(out.data(), n); }});
  return measure(work, settings);
}

std::vector<Record> sort(const Settings& settings) {
  const auto x = random_numbers<uint32_t>(20'000'000, uint64_t{1} << 32, 26);
  return sorting("sort", "20000000 u32", x, our_sort(x.data(), x.size(), sample),
                 contenders::plain::sort, contenders::sorts(), settings);
}

std::vector<Record> sort_floats(const Settings& settings) {
  const auto x = contenders::random_floats(20'000'000, -1, 1, 31);
  return sorting("sort/floats", "20000000 f32", x, our_float_sort(x.data(), x.size(), sample),
                 contenders::plain::sort_floats, contenders::float_sorts(), settings);
}

// A few thousand keys are equal to another; their values must keep their order.
std::vector<Record> sort_pairs(const Settings& settings) {
  constexpr int64_t n = 8'000'000;
  const auto keys = random_numbers<uint32_t>(n, uint64_t{1} << 32, 33);
  const auto values = random_numbers<uint32_t>(n, uint64_t{1} << 32, 34);
  const Buffer<uint32_t> keys_out(n), values_out(n);
  Case work = started("sort/by-key", "8000000 u32 with u32", 16.0 * n,
                      our_pair_sort(keys.data(), values.data(), n, sample));
  const auto run = [&](const std::function<contenders::PairSort>& sort) {
    sort(keys.data(), values.data(), keys_out.data(), values_out.data(), n);
  };
  const auto output = [&] { return sample(values_out.data(), n); };
  run(contenders::plain::sort_pairs);
  work.expected = output();
  for (const auto& c : contenders::pair_sorts())
    work.contenders.push_back({c.name, c.rules, false, [&, sort = c.run] { run(sort); }, output});
  return measure(work, settings);
}

std::vector<Record> sort_rows(const Settings& settings) {
  constexpr int64_t rows = 65'536, n = 256;
  const auto x = random_numbers<uint32_t>(rows * n, uint64_t{1} << 32, 32);
  const Buffer<uint32_t> out(rows * n);
  Case work = started("sort/rows", "65536x256 u32", 8.0 * rows * n,
                      our_row_sort(x.data(), rows, n, sample));
  contenders::plain::sort_rows(x.data(), out.data(), rows, n);
  work.expected = sample(out.data(), rows * n);
  for (auto& c : contenders::row_sorts())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(x.data(), out.data(), rows, n); },
                               [&] { return sample(out.data(), rows * n); }});
  return measure(work, settings);
}

// Larger than the second-level cache, smaller than most last-level caches.
std::vector<Record> damping(const Settings& settings) {
  constexpr int64_t n = 1 << 21, rounds = 20;
  const auto x = contenders::random_floats(n, 0, 1, 33);
  const Buffer<float> out(n);
  Case work =
      started("rounds", "20 of 2097152 f32", 8.0 * n * rounds, our_damping(x.data(), n, sample));
  contenders::plain::damp(x.data(), out.data(), n, rounds);
  work.expected = sample(out.data(), n);
  for (auto& c : contenders::dampings())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(x.data(), out.data(), n, rounds); },
                               [&] { return sample(out.data(), n); }});
  return measure(work, settings);
}

std::vector<Record> permute(const Settings& settings) {
  constexpr int64_t n = 20'000'000;
  const auto x = contenders::random_floats(n, 0, 1, 27);
  const Buffer<int32_t> target(n);
  std::iota(target.data(), target.data() + n, 0);
  std::shuffle(target.data(), target.data() + n, std::mt19937(28));
  const Buffer<float> out(n);
  Case work =
      started("permute", "20000000 f32", 12.0 * n, our_permute(x.data(), target.data(), n, sample));
  contenders::plain::permute(x.data(), target.data(), out.data(), n);
  work.expected = sample(out.data(), n);
  for (auto& c : contenders::permutations())
    work.contenders.push_back({c.name, c.rules, false,
                               [&, run = c.run] { run(x.data(), target.data(), out.data(), n); },
                               [&] { return sample(out.data(), n); }});
  return measure(work, settings);
}

}  // namespace

std::vector<Benchmark> collective_benchmarks() {
  return {{"blur", blur},
          {"scan", scan},
          {"filter", filter},
          {"segmented-sum", short_segments},
          {"segmented-sum-long", long_segments},
          {"histogram-256", [](const Settings& s) { return histogram("histogram-256", 256, s); }},
          {"histogram-64k", [](const Settings& s) { return histogram("histogram-64k", 65536, s); }},
          {"scatter-add", scatter_add},
          {"sort", sort},
          {"sort/floats", sort_floats},
          {"sort/by-key", sort_pairs},
          {"sort/rows", sort_rows},
          {"rounds", damping},
          {"permute", permute}};
}

}  // namespace bench
