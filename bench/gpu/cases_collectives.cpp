// Cases that move elements: sorting, counting, scattering; and a loop of small kernels.
#include <algorithm>

#include "../contenders/collectives.hpp"
#include "cases.hpp"
#include "contenders.hpp"
#include "cub.hpp"
#include "inputs.hpp"
#include "ours.hpp"

namespace bench::gpu {
namespace {

namespace plain = contenders::plain;

Case started(const char* name, std::int64_t n, const char* type, double bytes, Contender ours) {
  Case work;
  work.name = name;
  work.size = std::to_string(n) + " " + type;
  work.bytes = bytes;
  work.contenders = {std::move(ours)};
  return work;
}

template <class T>
std::vector<float> sample(const T* data, int64_t n) {
  return sampled({data, data + n});
}

void add(Case& work, std::vector<Contender> more) {
  for (Contender& c : more) work.contenders.push_back(std::move(c));
}

std::vector<Record> sort(const Settings& settings, const Sizes& sizes) {
  const std::int64_t n = sizes.elements / 4;
  const auto x = random_numbers<std::uint32_t>(n, std::uint64_t{1} << 32, 26);
  Case work =
      started("sort", n, "u32", 8.0 * static_cast<double>(n), our_sort(x.data(), n, sample));
  std::vector<std::uint32_t> sorted = x;
  std::sort(sorted.begin(), sorted.end());
  work.expected = sample(sorted.data(), n);
  const auto there = on_device<std::uint32_t>(x), out = on_device<std::uint32_t>(n);
  add(work, cub<CubSort>(
                "bench_cub_sort",
                [=](CubSort* f, void* memory, std::size_t* bytes, void* stream) {
                  return f(memory, bytes, reinterpret_cast<const unsigned*>(there->address()),
                           reinterpret_cast<unsigned*>(out->address()), n, stream);
                },
                sample_of(out)));
  work.limits = limits_copy(n);
  return measure(work, settings);
}

std::vector<Record> histogram(const char* name, std::int64_t bins, const Settings& settings,
                              const Sizes& sizes) {
  const std::int64_t n = sizes.elements;
  const auto keys = random_numbers<std::int32_t>(n, static_cast<std::uint64_t>(bins), 25);
  Case work = started(name, n, "i32", 4.0 * static_cast<double>(n),
                      our_histogram(bins, keys.data(), n, sample));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins));
  plain::histogram(keys.data(), counts.data(), bins, n);
  work.expected = sample(counts.data(), bins);
  const auto there = on_device<std::int32_t>(keys);
  const auto out = on_device<std::uint32_t>(bins);
  const char* const kernel = bins == 256 ? "histogram_shared" : "histogram_global";
  work.contenders.push_back(hand(
      "hand", Rules::strict,
      [=] {
        Device& device = Device::get();
        device.launch("clear", Rules::strict, device.blocks_for(bins), {out->address(), bins});
        device.launch(kernel, Rules::strict, device.blocks_for(n / 4),
                      {out->address(), there->address(), n / 4});
      },
      sample_of(out)));
  add(work, cub<CubHistogram>(
                "bench_cub_histogram",
                [=](CubHistogram* f, void* memory, std::size_t* bytes, void* stream) {
                  return f(memory, bytes, reinterpret_cast<const int*>(there->address()),
                           reinterpret_cast<unsigned*>(out->address()), static_cast<int>(bins), n,
                           stream);
                },
                sample_of(out)));
  work.limits = {limit_read(n)};
  return measure(work, settings);
}

std::vector<Record> histogram_256(const Settings& settings, const Sizes& sizes) {
  return histogram("histogram-256", 256, settings, sizes);
}

std::vector<Record> histogram_64k(const Settings& settings, const Sizes& sizes) {
  return histogram("histogram-64k", 65536, settings, sizes);
}

// Scatters without collisions: plain stores.
std::vector<Record> permute(const Settings& settings, const Sizes& sizes) {
  const std::int64_t n = sizes.elements / 4;
  const auto x = random_floats(n, 0, 1, 27);
  const auto target = shuffled(n, 28);
  Case work = started("permute", n, "f32", 12.0 * static_cast<double>(n),
                      our_permute(x.data(), target.data(), n, sample));
  std::vector<float> expected(x.size());
  plain::permute(x.data(), target.data(), expected.data(), n);
  work.expected = sampled(std::move(expected));
  const auto there = on_device<float>(x), out = on_device<float>(n);
  const auto to = on_device<std::int32_t>(target);
  work.contenders.push_back(hand(
      "hand", Rules::strict,
      [=] {
        Device& device = Device::get();
        device.launch("scatter", Rules::strict, device.blocks_for(n),
                      {out->address(), there->address(), to->address(), n});
      },
      sample_of(out)));
  work.limits = limits_copy(n);
  return measure(work, settings);
}

// Scatters sixteen elements to each place: atomics.
std::vector<Record> permute_add(const Settings& settings, const Sizes& sizes) {
  const std::int64_t n = sizes.elements / 4, size = n / 16;
  const auto x = random_numbers<std::uint32_t>(n, 1000, 29);
  const auto target = random_numbers<std::int32_t>(n, static_cast<std::uint64_t>(size), 30);
  Case work = started("permute-add", n, "u32", 8.0 * static_cast<double>(n),
                      our_scatter_add(x.data(), target.data(), n, size, sample));
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i) sums[static_cast<std::size_t>(target[i])] += x[i];
  work.expected = sample(sums.data(), size);
  const auto there = on_device<std::uint32_t>(x), out = on_device<std::uint32_t>(size);
  const auto to = on_device<std::int32_t>(target);
  work.contenders.push_back(hand(
      "hand", Rules::strict,
      [=] {
        Device& device = Device::get();
        device.launch("clear", Rules::strict, device.blocks_for(size), {out->address(), size});
        device.launch("scatter_add", Rules::strict, device.blocks_for(n),
                      {out->address(), there->address(), to->address(), n});
      },
      sample_of(out)));
  work.limits = {limit_read(n)};
  return measure(work, settings);
}

std::vector<Record> loop(const Settings& settings, const Sizes& sizes) {
  const std::int64_t n = sizes.loop_elements;
  const std::int32_t steps = sizes.loop_steps;
  const auto x = random_floats(n, 0, 1, 31);
  Case work = started("loop", n, "f32", 0, our_loop(x.data(), n, steps, sample));
  work.size += ", " + std::to_string(steps) + " steps";
  std::vector<float> state = x, next(x.size());
  for (std::int32_t step = 0; step < steps; ++step) {
    for (std::size_t i = 0; i < state.size(); ++i)
      next[i] = (state[i] + state[i + 1 < state.size() ? i + 1 : 0]) * 0.5f;
    state.swap(next);
  }
  work.expected = sampled(std::move(state));
  const auto from = on_device<float>(x), a = on_device<float>(n), b = on_device<float>(n);
  const auto out = steps % 2 == 1 ? a : b;
  const auto enqueue = [=] {
    Device& device = Device::get();
    for (std::int32_t step = 0; step < steps; ++step)
      device.launch("meet", Rules::strict, device.blocks_for(n),
                    {(step % 2 == 0 ? a : b)->address(),
                     (step == 0       ? from
                      : step % 2 == 0 ? b
                                      : a)
                         ->address(),
                     n});
  };
  work.contenders.push_back(hand("hand-launches", Rules::strict, enqueue, sample_of(out)));
  enqueue();  // the kernel is compiled before it is captured
  Device::get().wait();
  const auto graph = std::make_shared<Graph>(enqueue);
  work.contenders.push_back(
      hand("hand-graph", Rules::strict, [=] { graph->launch(); }, sample_of(out)));
  return measure(work, settings);
}

}  // namespace

std::vector<GpuBenchmark> collective_benchmarks() {
  return {{"sort", sort},
          {"histogram-256", histogram_256},
          {"histogram-64k", histogram_64k},
          {"permute", permute},
          {"permute-add", permute_add}};
}

std::vector<GpuBenchmark> loop_benchmarks() { return {{"loop", loop}}; }

}  // namespace bench::gpu
