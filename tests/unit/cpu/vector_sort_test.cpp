// Words sorted by comparing vectors, compared with one-by-one comparison: every size up to some
// partitions, sizes near larger ones, and words with many equal ones. Also floats without payload,
// of which only the keys are sorted.
#include "backends/cpu/launch/sort/vectors/vector_sort.hpp"
#include "backends/cpu/launch/sort/sort.hpp"
#include "backends/cpu/launch/sort/sort_together.hpp"
#include "backends/cpu/launch/sort/vectors/search.hpp"
#include "backends/cpu/machine/levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hasten::test {
namespace {

using detail::ScalarType;

enum class Kind : std::uint8_t { any, few, ascending, descending, largest, pairs, pipes, count };

template <class Word>
std::vector<Word> words_of(Kind kind, std::size_t n, std::mt19937_64& random) {
  std::vector<Word> words(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t any = random();
    switch (kind) {
      case Kind::few: words[i] = static_cast<Word>(any % 3); break;
      case Kind::ascending: words[i] = static_cast<Word>(i); break;
      case Kind::descending: words[i] = static_cast<Word>(n - i); break;
      case Kind::largest: words[i] = static_cast<Word>(~Word{0} - any % 2); break;
      case Kind::pairs: words[i] = static_cast<Word>(any % (n / 2 + 1)); break;
      case Kind::pipes: words[i] = static_cast<Word>(std::min(i, n - i)); break;
      default: words[i] = static_cast<Word>(any); break;
    }
  }
  return words;
}

template <class Word>
void expect_sorted(Kind kind, std::size_t n, std::mt19937_64& random) {
  constexpr std::size_t guard = 16;  // words that must stay unchanged
  const std::vector<Word> words = words_of<Word>(kind, n, random);
  std::vector<Word> expected = words;
  std::sort(expected.begin(), expected.end());
  for (const bool in_place : {true, false}) {
    std::vector<Word> got(n + 2 * guard, Word{7});
    Word* const sorted = got.data() + guard;
    if (in_place) {
      std::copy(words.begin(), words.end(), sorted);
      backends::cpu::sort_by_vectors(sorted, static_cast<std::int64_t>(n));
    } else {
      backends::cpu::sort_by_vectors(words.data(), sorted, static_cast<std::int64_t>(n));
    }
    const std::string what =
        std::to_string(n) + " words of kind " + std::to_string(static_cast<int>(kind));
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), sorted)) << what << in_place;
    for (std::size_t i = 0; i < guard; ++i) {
      ASSERT_EQ(got[i], Word{7}) << what << in_place;
      ASSERT_EQ(sorted[n + i], Word{7}) << what << in_place;
    }
  }
}

template <class Word>
void expect_sorted_at_any_size() {
  if (!backends::cpu::sorts_by_vectors()) GTEST_SKIP() << "the processor has no AVX2";
  std::mt19937_64 random(5);
  for (std::uint8_t kind = 0; kind < static_cast<std::uint8_t>(Kind::count); ++kind) {
    for (std::size_t n = 0; n < 1'100; ++n) expect_sorted<Word>(Kind{kind}, n, random);
    for (const std::size_t n : {2'047, 2'048, 2'049, 4'099, 65'536, 200'003})
      expect_sorted<Word>(Kind{kind}, n, random);
  }
}

TEST(CpuVectorSort, WordsOf32Bits) { expect_sorted_at_any_size<std::uint32_t>(); }
TEST(CpuVectorSort, WordsOf64Bits) { expect_sorted_at_any_size<std::uint64_t>(); }

bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

template <class Word>
void expect_sorted_together() {
  const unsigned permitted = backends::cpu::permitted_width().value_or(512);
  if (!has_avx512() || permitted < 512) {
    EXPECT_FALSE(backends::cpu::divides_by_vectors());
    GTEST_SKIP() << "the processor has no AVX-512, or HASTEN_CPU_WIDTH excludes it";
  }
  ASSERT_TRUE(backends::cpu::divides_by_vectors());
  constexpr std::int64_t guard = 16;  // words that must stay unchanged
  std::mt19937_64 random(6);
  for (const int threads : {2, 3, 4}) {
    const backends::cpu::Team team(threads);
    for (std::uint8_t kind = 0; kind < static_cast<std::uint8_t>(Kind::count); ++kind)
      for (const std::int64_t n : {1, 15, 17, 1'000, 65'536, 65'537, 300'007}) {
        const std::vector<Word> words =
            words_of<Word>(Kind{kind}, static_cast<std::size_t>(n), random);
        std::vector<Word> expected = words, got(static_cast<std::size_t>(n + 2 * guard), Word{7});
        std::sort(expected.begin(), expected.end());
        Word* const sorted = got.data() + guard;
        const backends::cpu::Chunks chunks{n, threads, team};
        backends::cpu::SortTogether<Word>(words.data(), sorted, chunks).run();
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), sorted))
            << n << " words of kind " << int{kind} << " on " << threads << " threads";
        for (std::int64_t i = 0; i < guard; ++i) {
          ASSERT_EQ(sorted[i - guard], Word{7});
          ASSERT_EQ(sorted[n + i], Word{7});
        }
      }
  }
}

TEST(CpuVectorSort, WordsOf32BitsOnSeveralThreads) { expect_sorted_together<std::uint32_t>(); }
TEST(CpuVectorSort, WordsOf64BitsOnSeveralThreads) { expect_sorted_together<std::uint64_t>(); }

// Makes keys of floats as sort() does.
template <class Float, class Key>
Key key_of(Float x, bool descending) {
  constexpr Key sign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  if (std::isnan(x)) return ~Key{0};
  const Key bits = std::bit_cast<Key>(x == 0 ? Float{0} : x);
  const Key key = static_cast<Key>(bits & sign ? ~bits : bits | sign);
  return descending ? static_cast<Key>(~key) : key;
}

// `special` of 8 floats are zeros or NaNs.
template <class Float, class Key>
std::vector<Float> floats(std::size_t n, unsigned special, bool of_both_signs) {
  std::mt19937_64 random(n + special);
  std::vector<Float> result(n);
  for (Float& x : result) {
    const std::uint64_t any = random();
    x = static_cast<Float>(static_cast<std::int64_t>(any)) / static_cast<Float>(1 << 20);
    if (any % 8 >= special) continue;
    constexpr Key nan = sizeof(Key) == 4 ? Key{0x7FC00000} : Key(0x7FF8000000000000U);
    switch (any / 8 % (of_both_signs ? 5 : 1)) {
      case 0: x = 0; break;
      case 1: x = static_cast<Float>(-0.0); break;
      case 2: x = std::bit_cast<Float>(static_cast<Key>(nan | (any >> 8 & 0xFFFF))); break;
      case 3: x = -std::bit_cast<Float>(static_cast<Key>(nan | (any >> 8 & 0xFFFF))); break;
      default:
        x = any & 64 ? std::numeric_limits<Float>::infinity()
                     : -std::numeric_limits<Float>::infinity();
    }
  }
  return result;
}

template <class Float>
void expect_floats(std::size_t n, unsigned special, bool of_both_signs, bool is_last_other) {
  using Key = std::conditional_t<sizeof(Float) == 4, std::uint32_t, std::uint64_t>;
  constexpr ScalarType type = sizeof(Float) == 4 ? ScalarType::u32 : ScalarType::u64;
  for (const bool descending : {false, true}) {
    std::vector<Float> from = floats<Float, Key>(n, special, of_both_signs);
    std::vector<Key> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = key_of<Float, Key>(from[i], descending);
    // One word that is not a float's key makes all of them ordinary words.
    if (is_last_other && n > 0) from.back() = 123;
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair{keys[i], i}; });
    for (const int threads : {1, 3}) {
      const backends::cpu::Team team(threads);
      std::vector<Key> made(n), sorted_keys(n);
      const std::byte* data[] = {reinterpret_cast<const std::byte*>(keys.data())};
      const backends::CarriedComponent component{sizeof(Float),
                                                 reinterpret_cast<const std::byte*>(from.data()),
                                                 reinterpret_cast<std::byte*>(made.data())};
      const backends::CarriedComponent key{sizeof(Key), data[0],
                                           reinterpret_cast<std::byte*>(sorted_keys.data())};
      backends::cpu::sort_positions({{static_cast<std::int64_t>(n)}}, {{type}}, data,
                                    {.carried = {component, key}}, team);
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(made[i], std::bit_cast<Key>(from[order[i]])) << i << " of " << n;
        ASSERT_EQ(sorted_keys[i], keys[order[i]]) << i << " of " << n;
      }
      // With one or two others, and with positions.
      std::vector<std::uint32_t> places(n), moved(n), again(n);
      std::iota(places.begin(), places.end(), 0U);
      const auto other = [&](std::vector<std::uint32_t>& to) {
        return backends::CarriedComponent{4, reinterpret_cast<const std::byte*>(places.data()),
                                          reinterpret_cast<std::byte*>(to.data())};
      };
      for (const int others : {1, 2, 3}) {
        std::vector<std::int64_t> positions(n);
        std::ranges::fill(made, Key{});
        std::vector<backends::CarriedComponent> carried{other(moved), component};
        if (others == 2) carried.push_back(other(again));
        backends::cpu::sort_positions(
            {{static_cast<std::int64_t>(n)}}, {{type}}, data,
            {.positions = others == 3 ? positions.data() : nullptr, .carried = carried}, team);
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(made[i], std::bit_cast<Key>(from[order[i]])) << i << " of " << n;
          ASSERT_EQ(moved[i], order[i]) << i << " of " << n;
          if (others == 2) {
            ASSERT_EQ(again[i], order[i]) << i << " of " << n;
          }
          if (others == 3) {
            ASSERT_EQ(positions[i], order[i]) << i << " of " << n;
          }
        }
      }
    }
  }
}

TEST(CpuVectorSort, FloatsAlone) {
  for (const std::size_t n : {0, 1, 2, 33, 300, 511, 512, 700, 4'099, 140'003})
    for (const unsigned special : {0U, 1U, 8U})
      for (const bool of_both_signs : {false, true}) {
        expect_floats<float>(n, special, of_both_signs, false);
        expect_floats<double>(n, special, of_both_signs, false);
      }
}

TEST(CpuVectorSort, WordsThatAreNoFloatsOfTheirKeys) {
  for (const std::size_t n : {700, 70'001}) {
    expect_floats<float>(n, 1, true, true);
    expect_floats<double>(n, 1, true, true);
  }
}

template <class Word>
void expect_found() {
  constexpr Word top = std::numeric_limits<Word>::max();
  for (std::int64_t n = 0; n < 70; ++n)
    for (std::int64_t at = 0; at < n; ++at) {
      std::vector<Word> words(static_cast<std::size_t>(n), top);
      words[static_cast<std::size_t>(at)] = top / 2 + 1;
      const auto found = [&](std::int64_t begin, Word limit) {
        return backends::cpu::first_below(words.data(), begin, n, limit);
      };
      EXPECT_EQ(found(0, top), at);
      EXPECT_EQ(found(at, top), at);
      EXPECT_EQ(found(at + 1, top), n);
      EXPECT_EQ(found(0, top / 2 + 2), at);
      EXPECT_EQ(found(0, top / 2 + 1), n);
      EXPECT_EQ(found(0, 0), n);
    }
}

TEST(CpuVectorSort, SearchesForTheFirstWordBelow) {
  expect_found<std::uint32_t>();
  expect_found<std::uint64_t>();
}

}  // namespace
}  // namespace hasten::test
