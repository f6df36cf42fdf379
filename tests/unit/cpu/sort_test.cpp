// The CPU's sort against comparing, over sizes around its thresholds, and on any number of threads.
#include "backends/cpu/launch/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

namespace hasten::test {
namespace {

using detail::ScalarType;
using Positions = std::vector<std::int64_t>;

template <class T>
const std::byte* bytes(const std::vector<T>& x) {
  return reinterpret_cast<const std::byte*>(x.data());
}

template <class T>
std::vector<T> random_keys(std::size_t n, T largest) {
  std::mt19937_64 random(n + largest);
  std::vector<T> keys(n);
  std::uniform_int_distribution<std::uint64_t> any(0, largest);
  for (T& key : keys) key = static_cast<T>(any(random));
  return keys;
}

constexpr std::int64_t sizes[] = {0,    1,     2,     7,     511,   512,   513,
                                  4099, 16383, 16384, 32768, 70001, 200003};

// Keys up to `largest`, moved left by `shift`, beside bits that all of them have.
template <class T>
void expect_sorted(ScalarType type, T largest, unsigned shift = 0, T common = 0) {
  for (const std::int64_t n : sizes) {
    std::vector<T> keys = random_keys<T>(static_cast<std::size_t>(n), largest);
    for (T& key : keys) key = static_cast<T>((key << shift) | common);
    Positions expected(keys.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
      const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
      return std::tuple{keys[x], a} < std::tuple{keys[y], b};
    });
    std::vector<std::byte> heads(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i)
      heads[i] = std::byte{i == 0 || keys[static_cast<std::size_t>(expected[i - 1])] !=
                                         keys[static_cast<std::size_t>(expected[i])]};
    for (const int threads : {1, 2, 5}) {
      Positions got(keys.size(), -1), alone(keys.size(), -1);
      std::vector<std::byte> got_heads(keys.size(), std::byte{7});
      const std::byte* data[] = {bytes(keys)};
      const backends::cpu::Team team(threads);
      backends::cpu::sort_positions({{n}}, {{type}}, data, {got.data(), got_heads.data()}, team);
      backends::cpu::sort_positions({{n}}, {{type}}, data, {alone.data()}, team);
      EXPECT_EQ(got, expected) << n << " keys on " << threads << " threads";
      EXPECT_EQ(alone, expected) << n << " keys on " << threads << " threads";
      EXPECT_TRUE(got_heads == heads) << n << " keys on " << threads << " threads";
    }
  }
}

TEST(CpuSort, OneComponent) {
  expect_sorted<std::uint8_t>(ScalarType::boolean, 1);
  expect_sorted<std::uint8_t>(ScalarType::u8, 255);
  expect_sorted<std::uint16_t>(ScalarType::u16, 40);
  expect_sorted<std::uint32_t>(ScalarType::u32, ~std::uint32_t{0});
  expect_sorted<std::uint64_t>(ScalarType::u64, ~std::uint64_t{0});
  // Of words of 64 bits: few that vary, anywhere; 32 and 33 of them; none.
  constexpr std::uint64_t high = std::uint64_t{1} << 63;
  expect_sorted<std::uint64_t>(ScalarType::u64, 9999, 0, high);
  expect_sorted<std::uint64_t>(ScalarType::u64, 9999, 40, 5);
  expect_sorted<std::uint64_t>(ScalarType::u64, 0xFFFFFFFFU, 31, 1);
  expect_sorted<std::uint64_t>(ScalarType::u64, 0x1FFFFFFFFU, 31, 1);
  expect_sorted<std::uint64_t>(ScalarType::u64, 0, 0, high | 1);
  // Few different keys are numbered; of 16,500 a sample does not tell.
  expect_sorted<std::uint64_t>(ScalarType::u64, 299, 50, 1);
  expect_sorted<std::uint64_t>(ScalarType::u64, 12000, 48, 1);
  expect_sorted<std::uint64_t>(ScalarType::u64, 16499, 48, 1);
}

TEST(CpuSort, LexicographicByRows) {
  constexpr std::int64_t rows = 3, n = 2003;
  const auto first = random_keys<std::uint8_t>(rows * n, 3);
  const auto second = random_keys<std::uint64_t>(rows * n, 50);
  const std::byte* data[] = {bytes(first), bytes(second)};
  const ScalarType types[] = {ScalarType::u8, ScalarType::u64};
  const std::int64_t extents[] = {rows, n};
  for (const int threads : {1, 2, 5}) {
    Positions got(rows * n);
    std::vector<std::byte> heads(rows * n, std::byte{7});
    backends::cpu::sort_positions(extents, types, data, {got.data(), heads.data()},
                                  backends::cpu::Team(threads));
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto key = [&](std::int64_t k) {
        const std::int64_t position = got[static_cast<std::size_t>(row * n + k)];
        const auto at = static_cast<std::size_t>(row * n + position);
        return std::tuple{first[at], second[at], position};
      };
      const auto head = [&](std::int64_t k) {
        return heads[static_cast<std::size_t>(row * n + k)];
      };
      ASSERT_EQ(head(0), std::byte{1});
      for (std::int64_t k = 1; k < n; ++k) {
        const auto before = key(k - 1), here = key(k);
        ASSERT_LT(before, here) << row << ", " << k;
        const bool differs =
            std::get<0>(before) != std::get<0>(here) || std::get<1>(before) != std::get<1>(here);
        ASSERT_EQ(head(k), std::byte{differs}) << row << ", " << k;
      }
    }
  }
}

}  // namespace
}  // namespace hasten::test
