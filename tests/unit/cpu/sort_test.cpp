// The CPU's sort, compared with a comparison sort, for sizes around its thresholds and any number
// of threads.
#include "backends/cpu/launch/sort/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <tuple>
#include <utility>
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
                                  4099, 16383, 16384, 32768, 70001, 270011};

// Keys up to `largest`, shifted left by `shift`, combined with bits that all keys share.
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

// The positions that sort each of these rows of n keys stably, and where its keys change.
template <class T>
void expect_rows_sorted(ScalarType type, const std::vector<T>& keys, std::int64_t rows,
                        std::int64_t n, const std::string& what) {
  Positions expected(keys.size());
  std::vector<std::byte> heads(keys.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto first = expected.begin() + row * n;
    const auto at = [&](std::int64_t i) { return keys[static_cast<std::size_t>(row * n + i)]; };
    std::iota(first, first + n, 0);
    std::sort(first, first + n, [&](std::int64_t a, std::int64_t b) {
      return std::tuple{at(a), a} < std::tuple{at(b), b};
    });
    for (std::int64_t i = 0; i < n; ++i)
      heads[static_cast<std::size_t>(row * n + i)] =
          std::byte{i == 0 || at(first[i - 1]) != at(first[i])};
  }
  const std::byte* data[] = {bytes(keys)};
  for (const int threads : {1, 2}) {
    const backends::cpu::Team team(threads);
    Positions got(keys.size(), -1), beside(keys.size(), -1);
    std::vector<std::byte> got_heads(keys.size(), std::byte{7});
    backends::cpu::sort_positions({{rows, n}}, {{type}}, data, {got.data(), nullptr}, team);
    backends::cpu::sort_positions({{rows, n}}, {{type}}, data, {beside.data(), got_heads.data()},
                                  team);
    ASSERT_EQ(got, expected) << what << ": " << rows << " rows of " << n;
    ASSERT_EQ(beside, expected) << what << ": " << rows << " rows of " << n;
    ASSERT_TRUE(got_heads == heads) << what << ": " << rows << " rows of " << n;
  }
}

// Rows of every length around those that a network sorts, with many equal keys.
template <class T>
void expect_rows_sorted(ScalarType type, T largest) {
  for (std::int64_t n = 1; n <= 20; ++n)
    for (const std::int64_t rows : {1, 3, 2500})
      expect_rows_sorted(type, random_keys<T>(static_cast<std::size_t>(n * rows), largest), rows, n,
                         "keys up to " + std::to_string(largest));
}

// Rows of every length up to those that are sorted by digits. Words of a row hold a key's leading
// bits above its place: in some rows keys differ in other bits alone.
template <class T>
void expect_longer_rows_sorted(ScalarType type) {
  constexpr unsigned bits = 8 * sizeof(T);
  std::mt19937_64 random(bits);
  const auto expect = [&](const std::string& what, auto key) {
    for (std::int64_t n = 0; n <= 520; n += n < 300 ? 1 : 44) {
      std::vector<T> keys(static_cast<std::size_t>(3 * n));
      for (T& each : keys) each = static_cast<T>(key(random()));
      expect_rows_sorted(type, keys, 3, n, what);
    }
  };
  const auto high = [](std::uint64_t any) { return any << (bits - 1); };
  expect("any", [](std::uint64_t any) { return any; });
  expect("few", [](std::uint64_t any) { return any % 3; });
  expect("equal", [](std::uint64_t) { return 5; });
  expect("few of the largest", [](std::uint64_t any) { return ~(any % 2); });
  expect("high and low bits", [=](std::uint64_t any) { return high(any) | (any >> 9 & 7); });
  expect("some low bits", [=](std::uint64_t any) {
    return any % 32 < 31 ? any >> 8 << 8 : high(any >> 5) | (any >> 20 & 3);
  });
}

TEST(CpuSort, LongerRows) {
  expect_longer_rows_sorted<std::uint8_t>(ScalarType::u8);
  expect_longer_rows_sorted<std::uint16_t>(ScalarType::u16);
  expect_longer_rows_sorted<std::uint32_t>(ScalarType::u32);
  expect_longer_rows_sorted<std::uint64_t>(ScalarType::u64);
}

TEST(CpuSort, ShortRows) {
  expect_rows_sorted<std::uint8_t>(ScalarType::u8, 3);
  expect_rows_sorted<std::uint16_t>(ScalarType::u16, 9);
  expect_rows_sorted<std::uint32_t>(ScalarType::u32, 5);
  expect_rows_sorted<std::uint32_t>(ScalarType::u32, ~std::uint32_t{0});
  expect_rows_sorted<std::uint64_t>(ScalarType::u64, 5);
  expect_rows_sorted<std::uint64_t>(ScalarType::u64, ~std::uint64_t{0});
}

TEST(CpuSort, OneComponent) {
  expect_sorted<std::uint8_t>(ScalarType::boolean, 1);
  expect_sorted<std::uint8_t>(ScalarType::u8, 255);
  expect_sorted<std::uint16_t>(ScalarType::u16, 40);
  expect_sorted<std::uint32_t>(ScalarType::u32, ~std::uint32_t{0});
  expect_sorted<std::uint64_t>(ScalarType::u64, ~std::uint64_t{0});
  // 64-bit words in which few bits vary, anywhere; 32 and 33 bits; none.
  constexpr std::uint64_t high = std::uint64_t{1} << 63;
  expect_sorted<std::uint64_t>(ScalarType::u64, 9999, 0, high);
  expect_sorted<std::uint64_t>(ScalarType::u64, 9999, 40, 5);
  expect_sorted<std::uint64_t>(ScalarType::u64, 0xFFFFFFFFU, 31, 1);
  expect_sorted<std::uint64_t>(ScalarType::u64, 0x1FFFFFFFFU, 31, 1);
  expect_sorted<std::uint64_t>(ScalarType::u64, 0, 0, high | 1);
  // A few distinct keys are numbered; for 16,500, a sample is inconclusive.
  expect_sorted<std::uint64_t>(ScalarType::u64, 299, 50, 1);
  expect_sorted<std::uint64_t>(ScalarType::u64, 12000, 48, 1);
  expect_sorted<std::uint64_t>(ScalarType::u64, 16499, 48, 1);
}

// The components that are moved with keys, of every size.
struct Carried {
  static constexpr std::array<std::size_t, 5> sizes{1, 2, 4, 8, 16};

  explicit Carried(std::size_t n) {
    std::mt19937 random(static_cast<unsigned>(n));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      from[i].resize(n * sizes[i]);
      to[i].resize(n * sizes[i]);
      for (std::byte& byte : from[i]) byte = static_cast<std::byte>(random());
    }
  }
  std::vector<backends::CarriedComponent> components() {
    std::vector<backends::CarriedComponent> all;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      all.push_back({sizes[i], from[i].data(), to[i].data()});
    return all;
  }
  void expect_at(const Positions& expected) const {
    for (std::size_t i = 0; i < sizes.size(); ++i) expect_at(expected, i);
  }
  void expect_at(const Positions& expected, std::size_t i) const {
    const auto element = [&](const std::vector<std::byte>& of, std::size_t at) {
      return of.data() + at * sizes[i];
    };
    for (std::size_t at = 0; at < expected.size(); ++at)
      ASSERT_EQ(std::memcmp(element(to[i], at),
                            element(from[i], static_cast<std::size_t>(expected[at])), sizes[i]),
                0)
          << "element " << at << " of " << sizes[i] << " bytes";
  }

  std::array<std::vector<std::byte>, sizes.size()> from, to;
};

// Keys i * step % different, shifted left by `shift`, of one component or, with `beside`, of two.
void expect_carried(std::int64_t n, std::uint64_t different, unsigned shift, bool beside) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = (i * 7919 % different) << shift;
  const std::vector<std::uint8_t> second = random_keys<std::uint8_t>(keys.size(), 2);
  const auto key = [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return std::tuple{keys[at], beside ? second[at] : std::uint8_t{0}};
  };
  Positions expected(keys.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
    return std::tuple{key(a), a} < std::tuple{key(b), b};
  });
  const ScalarType types[] = {ScalarType::u64, ScalarType::u8};
  const std::byte* data[] = {bytes(keys), bytes(second)};
  const std::size_t leaves = beside ? 2 : 1;
  for (const int threads : {1, 3})
    for (const bool at_heads : {false, true}) {
      Carried carried(keys.size());
      Positions got(keys.size(), -1);
      std::vector<std::byte> heads(keys.size(), std::byte{7});
      backends::SortedKeys to{got.data(), heads.data(), at_heads, carried.components()};
      backends::cpu::sort_positions({{n}}, std::span(types, leaves), std::span(data, leaves), to,
                                    backends::cpu::Team(threads));
      carried.expect_at(expected);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool begins = i == 0 || key(expected[i - 1]) != key(expected[i]);
        ASSERT_EQ(heads[i], std::byte{begins}) << i;
        if (begins || !at_heads) {
          ASSERT_EQ(got[i], expected[i]) << i;
        }
      }
    }
}

// Only elements are required: the key itself, one other component of each size, and both.
template <class T>
void expect_elements(ScalarType type, const std::vector<T>& keys) {
  const auto n = static_cast<std::int64_t>(keys.size());
  Positions expected(keys.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
    const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
    return std::tuple{keys[x], a} < std::tuple{keys[y], b};
  });
  std::vector<T> in_order = keys;
  std::sort(in_order.begin(), in_order.end());
  const std::byte* data[] = {bytes(keys)};
  for (const int threads : {1, 3}) {
    const backends::cpu::Team team(threads);
    std::vector<T> made(keys.size());
    const backends::CarriedComponent key{sizeof(T), bytes(keys),
                                         reinterpret_cast<std::byte*>(made.data())};
    backends::cpu::sort_positions({{n}}, {{type}}, data, {.carried = {key}}, team);
    EXPECT_EQ(made, in_order) << n << " keys alone";
    for (std::size_t which = 0; which < Carried::sizes.size(); ++which) {
      Carried carried(keys.size());
      std::ranges::fill(made, T{});
      backends::cpu::sort_positions({{n}}, {{type}}, data,
                                    {.carried = {key, carried.components()[which]}}, team);
      EXPECT_EQ(made, in_order) << n << " keys beside others";
      carried.expect_at(expected, which);
    }
    Carried all(keys.size());
    backends::cpu::sort_positions({{n}}, {{type}}, data, {.carried = all.components()}, team);
    all.expect_at(expected);
    // Their own places beside one other component, with and without the keys.
    std::vector<std::uint32_t> places(keys.size());
    std::iota(places.begin(), places.end(), 0U);
    for (const std::size_t which : {1U, 2U, 3U})
      for (const bool with_key : {false, true}) {
        std::ranges::fill(all.to[which], std::byte{});
        std::vector<std::uint32_t> moved(keys.size());
        std::vector<backends::CarriedComponent> components{
            all.components()[which],
            {sizeof(std::uint32_t), bytes(places), reinterpret_cast<std::byte*>(moved.data())}};
        if (with_key) components.push_back(key);
        std::ranges::fill(made, T{});
        backends::cpu::sort_positions({{n}}, {{type}}, data, {.carried = components}, team);
        all.expect_at(expected, which);
        EXPECT_TRUE(std::ranges::equal(moved, expected)) << n << " keys with " << which;
        if (with_key) {
          EXPECT_EQ(made, in_order) << n << " keys with " << which;
        }
      }
  }
}

TEST(CpuSort, ElementsAlone) {
  for (const std::int64_t n : sizes) {
    const auto size = static_cast<std::size_t>(n);
    expect_elements(ScalarType::boolean, random_keys<std::uint8_t>(size, 1));
    expect_elements(ScalarType::u16, random_keys<std::uint16_t>(size, 0xFFFF));
    expect_elements(ScalarType::u32, random_keys<std::uint32_t>(size, ~std::uint32_t{0}));
    expect_elements(ScalarType::u32, std::vector<std::uint32_t>(size, 7));
    expect_elements(ScalarType::u64, random_keys<std::uint64_t>(size, ~std::uint64_t{0}));
    // Nearly all keys share one leading digit.
    std::vector<std::uint32_t> uneven = random_keys<std::uint32_t>(size, 70000);
    if (n > 2) uneven[size / 2] = ~std::uint32_t{0};
    expect_elements(ScalarType::u32, uneven);
  }
}

// The starts of runs, and only the positions there.
template <class T>
void expect_runs(ScalarType type, const std::vector<T>& keys) {
  const auto n = static_cast<std::int64_t>(keys.size());
  std::map<T, std::pair<std::int64_t, std::int64_t>> runs;  // the first of each key, and how many
  for (std::int64_t i = 0; i < n; ++i)
    ++runs.try_emplace(keys[static_cast<std::size_t>(i)], i, 0).first->second.second;
  const std::byte* data[] = {bytes(keys)};
  for (const int threads : {1, 3}) {
    Positions got(keys.size(), -1);
    std::vector<std::byte> heads(keys.size(), std::byte{7});
    backends::cpu::sort_positions({{n}}, {{type}}, data, {got.data(), heads.data(), true},
                                  backends::cpu::Team(threads));
    std::size_t at = 0;
    for (const auto& [key, run] : runs) {
      ASSERT_EQ(heads[at], std::byte{1}) << at;
      ASSERT_EQ(got[at], run.first) << at;
      const auto end = at + static_cast<std::size_t>(run.second);
      while (++at < end) ASSERT_EQ(heads[at], std::byte{0}) << at;
    }
  }
}

// Keys of a range that is small beside their number are counted: at both ends of their type, with
// low bits that all share, and in a range that a sample misjudges.
template <class T>
void expect_counted(ScalarType type) {
  constexpr T last = std::numeric_limits<T>::max();
  for (const std::size_t n : {512U, 4099U, 70'001U, 140'003U})
    for (const std::uint64_t different : {1U, 2U, 255U, 256U, 2048U, 2049U, 5000U, 60'000U}) {
      if (different - 1 > last) continue;
      const std::vector<T> keys = random_keys<T>(n, static_cast<T>(different - 1));
      const auto expect_moved = [&](auto place, bool misleads = false) {
        std::vector<T> moved = keys;
        for (T& key : moved) key = static_cast<T>(place(key));
        if (misleads) moved[n - 2] = last / 2;  // a sample does not look there
        expect_runs(type, moved);
        if (n < 5000 || (n < 100'000 && different % 1000 == 0)) expect_elements(type, moved);
      };
      expect_moved([](T key) { return key; }, true);
      expect_moved([](T key) { return last - key; });
      expect_moved([](T key) { return key ^ (last / 2 + 1); });
      if (different <= last / 8) expect_moved([](T key) { return key * 8 + 5; });
    }
}

TEST(CpuSort, KeysOfASmallRange) {
  expect_counted<std::uint8_t>(ScalarType::u8);
  expect_counted<std::uint16_t>(ScalarType::u16);
  expect_counted<std::uint32_t>(ScalarType::u32);
  expect_counted<std::uint64_t>(ScalarType::u64);
}

// All of two components, or only the first or the last, are of a small range.
TEST(CpuSort, ComponentsOfASmallRange) {
  for (const std::uint64_t first : {5U, 5000U, 1U << 30})
    for (const std::uint64_t second : {1U, 3000U, 1U << 30}) {
      constexpr std::size_t n = 70'001;
      const auto a = random_keys<std::uint32_t>(n, static_cast<std::uint32_t>(first));
      const auto b = random_keys<std::uint64_t>(n, second);
      Positions expected(n);
      std::iota(expected.begin(), expected.end(), 0);
      std::sort(expected.begin(), expected.end(), [&](std::int64_t x, std::int64_t y) {
        const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
        return std::tuple{a[i], b[i], x} < std::tuple{a[j], b[j], y};
      });
      const ScalarType types[] = {ScalarType::u32, ScalarType::u64};
      const std::byte* data[] = {bytes(a), bytes(b)};
      for (const int threads : {1, 3}) {
        Positions got(n, -1);
        backends::cpu::sort_positions({{static_cast<std::int64_t>(n)}}, types, data, {got.data()},
                                      backends::cpu::Team(threads));
        EXPECT_EQ(got, expected) << first << ", " << second;
      }
    }
}

TEST(CpuSort, ElementsOfSeveralComponents) {
  for (const std::size_t n : {std::size_t{300}, std::size_t{50000}}) {
    const std::vector<std::uint32_t> first = random_keys<std::uint32_t>(n, 30);
    const std::vector<std::uint64_t> second = random_keys<std::uint64_t>(n, 1U << 20);
    Positions expected(n);
    std::iota(expected.begin(), expected.end(), 0);
    std::sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
      const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
      return std::tuple{first[x], second[x], a} < std::tuple{first[y], second[y], b};
    });
    const std::byte* data[] = {bytes(first), bytes(second)};
    Carried carried(n);
    const backends::cpu::Team team(2);
    backends::cpu::sort_positions({{static_cast<std::int64_t>(n)}},
                                  {{ScalarType::u32, ScalarType::u64}}, data,
                                  {.carried = carried.components()}, team);
    carried.expect_at(expected);
  }
}

TEST(CpuSort, CarriesComponentsOfEverySize) {
  for (const bool beside : {false, true})
    for (const std::int64_t n : {0, 1, 7, 511, 512, 4099, 70'001}) {
      expect_carried(n, 1, 0, beside);        // all are equal
      expect_carried(n, 300, 0, beside);      // sorted as words
      expect_carried(n, 300, 50, beside);     // numbered
      expect_carried(n, 14'000, 48, beside);  // numbered; each chunk meets different keys
      expect_carried(n, 60'000, 48, beside);  // too many for that
    }
}

// The first positions of each row equal those of a complete sort.
template <class T>
void expect_first(ScalarType type, std::int64_t rows, std::int64_t n, const std::vector<T>& keys,
                  std::span<const std::uint8_t> then = {}) {
  std::vector<const std::byte*> data{bytes(keys)};
  std::vector<ScalarType> types{type};
  if (!then.empty()) {
    data.push_back(reinterpret_cast<const std::byte*>(then.data()));
    types.push_back(ScalarType::u8);
  }
  const std::int64_t extents[] = {rows, n};
  const auto size = static_cast<std::size_t>(rows * n);
  for (const int threads : {1, 2, 5}) {
    const backends::cpu::Team team(threads);
    Positions all(size);
    backends::cpu::sort_positions(extents, types, data, {all.data()}, team);
    for (const std::int64_t first :
         {std::int64_t{-3}, std::int64_t{0}, std::int64_t{1}, std::int64_t{10}, std::int64_t{16},
          n / 40, n / 10, n - 1, n, n + 5}) {
      Positions got(size, -1);
      backends::SortedKeys to{got.data()};
      to.first = first;
      backends::cpu::sort_positions(extents, types, data, to, team);
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t i = 0; i < std::min(first, n); ++i) {
          const auto at = static_cast<std::size_t>(row * n + i);
          ASSERT_EQ(got[at], all[at]) << first << " of " << n << " in row " << row << " at " << i;
        }
    }
  }
}

TEST(CpuSort, FirstPositionsAlone) {
  for (const std::int64_t n : {1, 7, 300, 511, 512, 5003, 70'001}) {
    const std::int64_t rows = n < 1000 ? 3 : 1;
    const auto size = static_cast<std::size_t>(rows * n);
    expect_first(ScalarType::u32, rows, n, random_keys<std::uint32_t>(size, ~std::uint32_t{0}));
    expect_first(ScalarType::u64, rows, n, random_keys<std::uint64_t>(size, 1'000'000));
    expect_first(ScalarType::u8, rows, n, random_keys<std::uint8_t>(size, 2));  // many are equal
    expect_first(ScalarType::boolean, rows, n, std::vector<std::uint8_t>(size, 1));
    expect_first(ScalarType::u16, rows, n, std::vector<std::uint16_t>(size, 0));
    const auto then = random_keys<std::uint8_t>(size, 255);
    expect_first(ScalarType::u32, rows, n, random_keys<std::uint32_t>(size, 400), then);
    expect_first(ScalarType::u8, rows, n, random_keys<std::uint8_t>(size, 1), then);
  }
}

// Around the rows of which few first keys are found in one pass: keys of which many are first for
// some time, or all in turn, and equal ones.
TEST(CpuSort, FewFirstPositions) {
  for (const std::int64_t n : {127, 128, 129, 319, 320, 513, 2048, 20'000}) {
    const std::int64_t rows = 3;
    const auto size = static_cast<std::size_t>(rows * n);
    std::vector<std::uint32_t> ascending(size), descending(size);
    std::vector<std::uint64_t> wide(size);
    for (std::size_t i = 0; i < size; ++i) {
      ascending[i] = static_cast<std::uint32_t>(i / 3);
      descending[i] = static_cast<std::uint32_t>(size - i);
      wide[i] = (std::uint64_t{1} << 40) * (i * 7919 % 5) + (size - i) / 64;
    }
    expect_first(ScalarType::u32, rows, n, ascending);
    expect_first(ScalarType::u32, rows, n, descending);
    expect_first(ScalarType::u64, rows, n, wide);
    expect_first(ScalarType::u32, rows, n, random_keys<std::uint32_t>(size, 20));
    expect_first(ScalarType::u64, rows, n, random_keys<std::uint64_t>(size, ~std::uint64_t{0}));
    expect_first(ScalarType::u32, rows, n, std::vector<std::uint32_t>(size, ~std::uint32_t{0}));
  }
}

// Misleading samples: one key in a row that is not sampled, and descending keys.
TEST(CpuSort, FirstPositionsWhereSamplesMislead) {
  constexpr std::int64_t n = 100'000;
  std::vector<std::uint32_t> keys(n, 9);
  keys[n - 1] = 1, keys[n - 3] = 0;
  expect_first(ScalarType::u32, 1, n, keys);
  for (std::int64_t i = 0; i < n; ++i)
    keys[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(n - i);
  expect_first(ScalarType::u32, 1, n, keys);
  // The sampled keys are small and all others large; and the reverse.
  for (const bool small : {true, false}) {
    for (std::int64_t i = 0; i < n; ++i)
      keys[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(i) + (small ? n : 0);
    for (std::int64_t i = 0; i < 1024; ++i)
      keys[static_cast<std::size_t>(n * i / 1024)] = static_cast<std::uint32_t>(small ? i : n + i);
    expect_first(ScalarType::u32, 1, n, keys);
  }
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
