// Cases bound by bandwidth: sums, folds of rows and segments, maps, scans.
#include <numeric>

#include "../contenders/collectives.hpp"
#include "../contenders/plain.hpp"
#include "../ours/ours.hpp"
#include "cases.hpp"
#include "contenders.hpp"
#include "cub.hpp"
#include "inputs.hpp"
#include "ours.hpp"

namespace bench::gpu {
namespace {

namespace plain = contenders::plain;

constexpr std::int64_t most_parts = 1 << 14;

std::string size_text(std::int64_t n, const char* type = "f32") {
  return std::to_string(n) + " " + type;
}

Case started(const char* name, std::string size, double bytes) {
  Case work;
  work.name = name;
  work.size = std::move(size);
  work.bytes = bytes;
  return work;
}

template <class T>
std::vector<float> sample(const T* data, int64_t n) {
  return sampled({data, data + n});
}

// Enough blocks to fill the device, but not more parts than one block adds up well.
std::int64_t part_blocks(std::int64_t n) {
  return std::min(Device::get().blocks_for(n / 4), most_parts);
}

std::vector<Record> sum(const Settings& settings, const Sizes& sizes) {
  const std::int64_t n = sizes.elements;
  const auto x = random_floats(n, 0, 1, 11);
  Case work = started("sum", size_text(n), 4.0 * static_cast<double>(n));
  work.contenders = our_sum(x.data(), n);
  work.expected = {static_cast<float>(plain::sum(x.data(), n))};
  const auto there = on_device<float>(x), parts = on_device<float>(most_parts),
             out = on_device<float>(1);
  work.contenders.push_back(hand(
      "hand", Rules::strict,
      [=] {
        Device& device = Device::get();
        const std::int64_t blocks = part_blocks(n);
        device.launch("sum_parts", Rules::strict, blocks,
                      {parts->address(), there->address(), n / 4});
        device.launch("sum_finish", Rules::strict, 1, {out->address(), parts->address(), blocks});
      },
      [=] { return out->home(); }));
  for (Contender& c : cub<CubSum>(
           "bench_cub_sum",
           [=](CubSum* f, void* memory, std::size_t* bytes, void* stream) {
             return f(memory, bytes, reinterpret_cast<const float*>(there->address()),
                      reinterpret_cast<float*>(out->address()), n, stream);
           },
           [=] { return out->home(); }))
    work.contenders.push_back(std::move(c));
  work.limits = {limit_read(n)};
  return measure(work, settings);
}

std::vector<Record> dot(const Settings& settings, const Sizes& sizes) {
  const std::int64_t n = sizes.elements;
  const auto x = random_floats(n, 0, 1, 12), y = random_floats(n, 0, 1, 13);
  Case work = started("dot", size_text(n), 8.0 * static_cast<double>(n));
  work.contenders = our_dot(x.data(), y.data(), n);
  work.expected = {static_cast<float>(plain::dot(x.data(), y.data(), n))};
  const auto a = on_device<float>(x), b = on_device<float>(y), parts = on_device<float>(most_parts),
             out = on_device<float>(1);
  for (Contender& c : hand_by_each_rule(
           [=](Rules rules) {
             Device& device = Device::get();
             const std::int64_t blocks = part_blocks(n);
             device.launch("dot_parts", rules, blocks,
                           {parts->address(), a->address(), b->address(), n / 4});
             device.launch("sum_finish", rules, 1, {out->address(), parts->address(), blocks});
           },
           [=] { return out->home(); }))
    work.contenders.push_back(std::move(c));
  work.limits = {limit_read(n)};
  return measure(work, settings);
}

std::vector<Record> map(const Settings& settings, const Sizes& sizes) {
  const std::int64_t n = sizes.elements;
  const auto x = random_floats(n, -1, 1, 14);
  Case work = started("map", size_text(n), 8.0 * static_cast<double>(n));
  work.contenders = {our_affine(x.data(), n, sample)};
  work.expected = x;
  for (float& v : work.expected) v = v * 2.0f + 1.0f;
  work.expected = sampled(std::move(work.expected));
  const auto from = on_device<float>(x), out = on_device<float>(n);
  work.contenders.push_back(hand(
      "hand", Rules::strict,
      [=] {
        Device& device = Device::get();
        device.launch("affine", Rules::strict, device.blocks_for(n / 4),
                      {out->address(), from->address(), n / 4});
      },
      sample_of(out)));
  work.limits = limits_copy(n);
  return measure(work, settings);
}

std::vector<Record> saxpy(const Settings& settings, const Sizes& sizes) {
  constexpr float a = 2.5f;
  const std::int64_t n = sizes.elements / 2;
  const auto x = random_floats(n, -1, 1, 15), y = random_floats(n, -1, 1, 16);
  Case work = started("saxpy", size_text(n), 12.0 * static_cast<double>(n));
  work.contenders = our_saxpy(a, x.data(), y.data(), n);
  for (Contender& c : work.contenders) c.output = [all = c.output] { return sampled(all()); };
  work.expected.resize(x.size());
  plain::saxpy(a, x.data(), y.data(), work.expected.data(), n);
  work.expected = sampled(std::move(work.expected));
  const auto left = on_device<float>(x), right = on_device<float>(y), out = on_device<float>(n);
  for (Contender& c : hand_by_each_rule(
           [=](Rules rules) {
             Device& device = Device::get();
             device.launch("saxpy", rules, device.blocks_for(n / 4),
                           {out->address(), a, left->address(), right->address(), n / 4});
           },
           sample_of(out)))
    work.contenders.push_back(std::move(c));
  work.limits = limits_copy(n);
  return measure(work, settings);
}

std::vector<Record> rows_sum(const Settings& settings, const Sizes& sizes) {
  const std::int64_t columns = std::min<std::int64_t>(1024, sizes.elements / 4),
                     rows = sizes.elements / columns, n = rows * columns;
  const auto x = random_floats(n, 0, 1, 17);
  Case work = started("rows-sum", std::to_string(rows) + "x" + std::to_string(columns) + " f32",
                      4.0 * static_cast<double>(n + rows));
  work.contenders = {our_rows_sum(x.data(), rows, columns, sample)};
  for (std::int64_t row = 0; row < rows; ++row)
    work.expected.push_back(static_cast<float>(plain::sum(x.data() + row * columns, columns)));
  work.expected = sampled(std::move(work.expected));
  const auto there = on_device<float>(x), out = on_device<float>(rows);
  work.contenders.push_back(hand(
      "hand", Rules::strict,
      [=] {
        Device& device = Device::get();
        device.launch("rows_sum", Rules::strict, device.blocks_for(32 * rows),
                      {out->address(), there->address(), rows, columns / 4});
      },
      sample_of(out)));
  work.limits = {limit_read(n)};
  return measure(work, settings);
}

std::vector<Record> segmented(const char* name, const std::vector<std::int32_t>& lengths,
                              bool has_hand, const Settings& settings) {
  std::vector<long long> offsets(lengths.size() + 1);
  std::inclusive_scan(lengths.begin(), lengths.end(), offsets.begin() + 1, std::plus<>{}, 0LL);
  const std::int64_t n = offsets.back(), segments = std::ssize(lengths);
  const auto x = random_floats(n, 0, 1, 18);
  Case work = started(name, size_text(n),
                      4.0 * static_cast<double>(n) + 8.0 * static_cast<double>(segments));
  work.contenders = {our_segmented_sum(x.data(), n, lengths, sample)};
  const std::vector<std::int64_t> starts(offsets.begin(), offsets.end());
  work.expected.resize(lengths.size());
  plain::segmented_sum(x.data(), starts.data(), work.expected.data(), segments);
  work.expected = sampled(std::move(work.expected));
  work.tolerance = 1e-3;  // the segments are long
  const auto there = on_device<float>(x), out = on_device<float>(segments);
  const auto at = on_device<long long>(offsets);
  if (has_hand)
    work.contenders.push_back(hand(
        "hand", Rules::strict,
        [=] {
          Device& device = Device::get();
          device.launch("segmented_sum", Rules::strict, device.blocks_for(8 * segments),
                        {out->address(), there->address(), at->address(), segments});
        },
        sample_of(out)));
  for (Contender& c : cub<CubSegmentedSum>(
           "bench_cub_segmented_sum",
           [=](CubSegmentedSum* f, void* memory, std::size_t* bytes, void* stream) {
             return f(memory, bytes, reinterpret_cast<const float*>(there->address()),
                      reinterpret_cast<float*>(out->address()),
                      reinterpret_cast<const long long*>(at->address()), segments, stream);
           },
           sample_of(out)))
    work.contenders.push_back(std::move(c));
  work.limits = {limit_read(n)};
  return measure(work, settings);
}

std::vector<Record> short_segments(const Settings& settings, const Sizes& sizes) {
  const auto random = random_numbers<std::int32_t>(sizes.elements / 50 + 1, 100, 19);
  std::vector<std::int32_t> lengths;
  for (std::int64_t left = sizes.elements; left > 0; left -= lengths.back())
    lengths.push_back(static_cast<std::int32_t>(
        std::min<std::int64_t>(left, 1 + random[lengths.size() % random.size()])));
  return segmented("segmented-sum", lengths, true, settings);
}

std::vector<Record> long_segments(const Settings& settings, const Sizes& sizes) {
  const auto third = static_cast<std::int32_t>(sizes.elements / 3);
  return segmented("segmented-sum-long",
                   {third, 1, 0, static_cast<std::int32_t>(sizes.elements - third - 1)}, false,
                   settings);
}

std::vector<Record> scan(const Settings& settings, const Sizes& sizes) {
  const std::int64_t n = sizes.elements;
  const auto x = random_floats(n, 0, 1, 20);
  Case work = started("scan", size_text(n), 8.0 * static_cast<double>(n));
  work.contenders = {our_scan(x.data(), n, sample)};
  work.expected.resize(x.size());
  plain::scan(x.data(), work.expected.data(), n);
  work.expected = sampled(std::move(work.expected));
  work.tolerance = 1e-3;
  const auto there = on_device<float>(x), out = on_device<float>(n);
  for (Contender& c : cub<CubScan>(
           "bench_cub_scan",
           [=](CubScan* f, void* memory, std::size_t* bytes, void* stream) {
             return f(memory, bytes, reinterpret_cast<const float*>(there->address()),
                      reinterpret_cast<float*>(out->address()), n, stream);
           },
           sample_of(out)))
    work.contenders.push_back(std::move(c));
  work.limits = limits_copy(n);
  return measure(work, settings);
}

}  // namespace

std::vector<GpuBenchmark> memory_benchmarks() {
  return {{"dot", dot},
          {"sum", sum},
          {"map", map},
          {"saxpy", saxpy},
          {"scan", scan},
          {"rows-sum", rows_sum},
          {"segmented-sum", short_segments},
          {"segmented-sum-long", long_segments}};
}

}  // namespace bench::gpu
