// Element i needs no element before it, so threads work independently.
#include "inputs.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

namespace bench::gpu {
namespace {

// The finisher of splitmix64.
std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t bits_at(std::uint32_t stream, std::size_t i) {
  return scramble((std::uint64_t{stream} << 48) + i);
}

template <class T, class F>
std::vector<T> filled(std::int64_t n, F element) {
  std::vector<T> all(static_cast<std::size_t>(n));
  const std::size_t count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (std::size_t t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      const std::size_t end = all.size() * (t + 1) / count;
      for (std::size_t i = all.size() * t / count; i < end; ++i) all[i] = element(i);
    });
  threads.clear();
  return all;
}

}  // namespace

std::vector<float> random_floats(std::int64_t n, float low, float high, std::uint32_t stream) {
  return filled<float>(n, [=](std::size_t i) {
    return low + (high - low) * static_cast<float>(bits_at(stream, i) >> 40) * 0x1p-24f;
  });
}

template <class T>
std::vector<T> random_numbers(std::int64_t n, std::uint64_t below, std::uint32_t stream) {
  return filled<T>(n, [=](std::size_t i) { return static_cast<T>(bits_at(stream, i) % below); });
}
template std::vector<std::int32_t> random_numbers(std::int64_t, std::uint64_t, std::uint32_t);
template std::vector<std::uint32_t> random_numbers(std::int64_t, std::uint64_t, std::uint32_t);

// i to (a i + b) mod 2^k is one to one for odd a; results beyond n are mapped again.
std::vector<std::int32_t> shuffled(std::int64_t n, std::uint32_t stream) {
  std::uint64_t size = 1;
  while (size < static_cast<std::uint64_t>(n)) size *= 2;
  const std::uint64_t factor = bits_at(stream, 0) | 1, addend = bits_at(stream, 1);
  return filled<std::int32_t>(n, [=](std::size_t i) {
    std::uint64_t place = i;
    do {
      place = (place * factor + addend) & (size - 1);
      place = (place ^ (place >> 3)) & (size - 1);
    } while (place >= static_cast<std::uint64_t>(n));
    return static_cast<std::int32_t>(place);
  });
}

}  // namespace bench::gpu
