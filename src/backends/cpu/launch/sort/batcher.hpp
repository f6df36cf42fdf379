// Batcher's odd-even merge sort for any number of words, as a list of comparisons (Knuth, The Art
// of Computer Programming 3, section 5.2.2, algorithm M).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hasten::backends::cpu {

struct Comparison {
  std::uint8_t a, b;  // a < b: the lesser word goes to a
};

template <std::size_t N, class F>
constexpr void for_each_comparison(F f) {
  for (std::size_t p = 1; p < N; p *= 2)
    for (std::size_t k = p; k >= 1; k /= 2)
      for (std::size_t j = k % p; j + k < N; j += 2 * k)
        for (std::size_t i = 0; i < k && i + j + k < N; ++i)
          if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) f(i + j, i + j + k);
}

template <std::size_t N>
constexpr std::size_t comparisons = [] {
  std::size_t count = 0;
  for_each_comparison<N>([&](std::size_t, std::size_t) { ++count; });
  return count;
}();

/// In the order in which they are done.
template <std::size_t N>
constexpr std::array<Comparison, comparisons<N>> batcher = [] {
  std::array<Comparison, comparisons<N>> all{};
  std::size_t next = 0;
  for_each_comparison<N>([&](std::size_t a, std::size_t b) {
    all[next++] = {static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b)};
  });
  return all;
}();

}  // namespace hasten::backends::cpu
