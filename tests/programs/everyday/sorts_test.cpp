// Sorts of few and of many elements, compared with the standard library's.
#include "tests/programs/support.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

namespace {

using Index = std::int64_t;

class DevicesSort : public hasten_test::OnEveryDevice {};
HASTEN_ON_EVERY_DEVICE(DevicesSort);

// Devices move 0, 4 or 8 bytes with a key; digits that all keys share are skipped.
template <class K, class V>
void expect_sorted_by_key(const hs::Options& options, Index n,
                          const std::function<std::uint64_t(Index)>& key) {
  std::vector<K> keys;
  std::vector<V> values(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) keys.push_back(static_cast<K>(key(i)));
  std::iota(values.begin(), values.end(), V{});
  std::vector<V> expected = values;
  std::sort(expected.begin(), expected.end(), [&](V a, V b) {
    const K left = keys[static_cast<std::size_t>(a)], right = keys[static_cast<std::size_t>(b)];
    return left != right ? left < right : a < b;  // stable
  });
  const auto k = hs::use(hasten_test::vector_of(keys));
  const auto v = hs::use(hasten_test::vector_of(values));
  std::sort(keys.begin(), keys.end());
  const auto both = hs::sort_by_key(k, v);
  const auto [sorted_keys, sorted_values] = hs::run(both, options);
  EXPECT_EQ(sorted_keys.to_vector(), keys) << n;
  EXPECT_EQ(sorted_values.to_vector(), expected) << n;
  EXPECT_EQ(hs::run(both.second, options).to_vector(), expected) << n;
  EXPECT_EQ(hs::run(hs::sort(k), options).to_vector(), keys) << n;
}

TEST_P(DevicesSort, KeysAndValuesOfEveryWidth) {
  const auto any = [](Index i) { return static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15U; };
  const auto few = [](Index i) { return static_cast<std::uint64_t>(i * i % 5); };
  const auto one = [](Index) { return std::uint64_t{77}; };
  const auto apart = [&](Index i) { return any(i) & 0xFF0000FF00FF0000U; };
  // On a processor's OpenCL, tiles are long from 131,072 elements on; the fake CUDA driver is slow.
  const bool has_long_tiles = GetParam().target.name().starts_with("opencl");
  for (const Index n : has_long_tiles ? std::vector<Index>{1, 1000, 70'001, 131'072, 300'007}
                                      : std::vector<Index>{1, 1000, 70'001})
    for (const std::function<std::uint64_t(Index)>& key :
         {std::function<std::uint64_t(Index)>(any), {few}, {one}, {apart}}) {
      expect_sorted_by_key<std::uint8_t, std::int32_t>(GetParam(), n, key);
      expect_sorted_by_key<std::uint16_t, std::int64_t>(GetParam(), n, key);
      expect_sorted_by_key<std::uint32_t, std::int32_t>(GetParam(), n, key);
      expect_sorted_by_key<std::uint32_t, std::int64_t>(GetParam(), n, key);
      expect_sorted_by_key<std::uint64_t, std::int32_t>(GetParam(), n, key);
      expect_sorted_by_key<std::uint64_t, std::int64_t>(GetParam(), n, key);
    }
}

}  // namespace
