// Values grouped by their key, at any position: compared with std::map.
#include "tests/programs/support.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

using hs::Acc, hs::Vector;

namespace {

using Index = std::int64_t;

class Grouping : public hasten_test::OnEveryDevice {};

template <class K>
K key_at(Index i) {
  if constexpr (std::is_same_v<K, std::tuple<std::int8_t, bool>>) {
    return {static_cast<std::int8_t>(i * 7 % 5 - 2), i % 3 == 0};
  } else {
    return static_cast<K>(static_cast<float>(i * 31 % 13) - 4);
  }
}

template <class K>
void groups_of_every_size(const hs::Options& options) {
  const auto f = hs::compile(
      [](Acc<Vector<K>> keys, Acc<Vector<Index>> values) {
        return std::tuple{hs::group_by(keys, values), hs::sum_by_key(keys, values),
                          hs::count_by_key(keys)};
      },
      options);
  for (const Index n : {0, 1, 2, 97, 1009}) {
    const auto keys = Vector<K>::from_function({n}, [](hs::Ix<1> i) { return key_at<K>(i[0]); });
    const auto values = Vector<Index>::from_function({n}, [](hs::Ix<1> i) { return i[0] + 100; });
    std::map<K, std::vector<Index>> expected;
    for (Index i = 0; i < n; ++i) expected[keys(i)].push_back(values(i));
    const auto [groups, sums, counts] = f(keys, values);
    const auto& [distinct, offsets, sorted] = groups;
    const auto groups_count = static_cast<Index>(expected.size());
    ASSERT_EQ(distinct.size(), groups_count);
    ASSERT_EQ(offsets.size(), groups_count + 1);
    ASSERT_EQ(offsets(groups_count), n);
    EXPECT_EQ(sums.first, distinct);
    EXPECT_EQ(counts.first, distinct);
    Index k = 0, at = 0;
    for (const auto& [key, group] : expected) {
      EXPECT_EQ(distinct(k), key);
      EXPECT_EQ(offsets(k), at);
      Index sum = 0;
      for (const Index value : group) {
        EXPECT_EQ(sorted(at++), value);
        sum += value;
      }
      EXPECT_EQ(sums.second(k), sum);
      EXPECT_EQ(counts.second(k), static_cast<Index>(group.size()));
      ++k;
    }
  }
}

// Few keys, one key, and as many keys as values, at both ends of the type and around 0.
template <class K>
void groups_at_the_ends(const hs::Options& options) {
  using U = std::make_unsigned_t<K>;
  const auto f = hs::compile(
      [](Acc<Vector<K>> keys, Acc<Vector<Index>> values) {
        return std::tuple{hs::sum_by_key(keys, values), hs::count_by_key(keys),
                          hs::sort_by_key(keys, values), hs::sort(keys)};
      },
      options);
  const K ends[] = {std::numeric_limits<K>::min(), std::numeric_limits<K>::max(), K{0}};
  for (const Index n : {511, 513, 5003})
    for (const Index different : {Index{1}, Index{11}, Index{120}, n})
      for (const K end : ends) {
        const auto key = [&](Index i) {
          const auto number = static_cast<U>(i * 7919 % different);
          return static_cast<K>(static_cast<U>(end) +
                                (end > 0 ? static_cast<U>(0 - number) : number));
        };
        const auto keys = Vector<K>::from_function({n}, [&](hs::Ix<1> i) { return key(i[0]); });
        const auto values = Vector<Index>::from_function({n}, [](hs::Ix<1> i) { return i[0]; });
        std::map<K, std::vector<Index>> expected;
        for (Index i = 0; i < n; ++i) expected[keys(i)].push_back(i);
        const auto [sums, counts, pairs, sorted] = f(keys, values);
        ASSERT_EQ(sums.first.size(), static_cast<Index>(expected.size()));
        EXPECT_EQ(sums.first, counts.first);
        EXPECT_EQ(pairs.first, sorted);
        Index k = 0, at = 0;
        for (const auto& [each, group] : expected) {
          ASSERT_EQ(sums.first(k), each);
          ASSERT_EQ(counts.second(k), static_cast<Index>(group.size()));
          ASSERT_EQ(sums.second(k++), std::accumulate(group.begin(), group.end(), Index{0}));
          for (const Index value : group) {
            ASSERT_EQ(sorted(at), each);
            ASSERT_EQ(pairs.second(at++), value);
          }
        }
      }
}

TEST_P(Grouping, KeysAtTheEndsOfTheirType) {
  groups_at_the_ends<std::int8_t>(GetParam());
  groups_at_the_ends<std::uint16_t>(GetParam());
  groups_at_the_ends<int>(GetParam());
  groups_at_the_ends<std::int64_t>(GetParam());
  groups_at_the_ends<std::uint64_t>(GetParam());
}

// Ranges at both sides of a quarter of the number of keys.
TEST_P(Grouping, RangesAtTheLimitOfBins) {
  const auto f = hs::compile(
      [](Acc<Vector<Index>> keys, Acc<Vector<float>> values) {
        return std::tuple{hs::sum_by_key(keys, values), hs::count_by_key(keys)};
      },
      GetParam());
  const auto check = [&](Index n, Index range, Index least) {
    SCOPED_TRACE(std::to_string(n) + " keys of a range of " + std::to_string(range));
    const auto key = [=](Index i) {
      return i < 2 ? least + i * (range - 1) : least + i * 7919 % range;
    };
    const auto keys = Vector<Index>::from_function({n}, [&](hs::Ix<1> i) { return key(i[0]); });
    const auto values = Vector<float>::from_function(
        {n}, [](hs::Ix<1> i) { return static_cast<float>(i[0] % 256); });
    std::map<Index, std::pair<float, Index>> expected;
    for (Index i = 0; i < n; ++i) {
      expected[key(i)].first += static_cast<float>(i % 256);
      ++expected[key(i)].second;
    }
    const auto [sums, counts] = f(keys, values);
    ASSERT_EQ(sums.first.size(), static_cast<Index>(expected.size()));
    EXPECT_EQ(counts.first, sums.first);
    Index k = 0;
    for (const auto& [each, both] : expected) {
      ASSERT_EQ(sums.first(k), each);
      ASSERT_EQ(sums.second(k), both.first);
      ASSERT_EQ(counts.second(k++), both.second);
    }
  };
  for (const Index n : {7, 8, 400, 4003})
    for (const Index range : {n / 4 - 1, n / 4, n / 4 + 1}) {
      if (range == 0) continue;
      check(n, range, -3);
      check(n, range, std::numeric_limits<Index>::max() - (range - 1));
    }
}

// A key without values has no sum, one whose values cancel has.
TEST_P(Grouping, SumsOfFloatsByBins) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<int> keys(40, 9);
  std::vector<float> values(40, -0.0f);
  keys[0] = keys[1] = 4, values[0] = 2.5f, values[1] = -2.5f;
  keys[2] = 7, values[2] = nan;
  const auto [k, sums] =
      run(hs::sum_by_key(hs::use(Vector<int>({40}, keys)), hs::use(Vector<float>({40}, values))));
  EXPECT_EQ(k, (Vector<int>{4, 7, 9}));
  EXPECT_EQ(sums(0), 0);
  EXPECT_TRUE(std::isnan(sums(1)));
  EXPECT_EQ(sums(2), 0);
  EXPECT_TRUE(std::signbit(sums(2)));
}

TEST_P(Grouping, ByIntegers) {
  groups_of_every_size<int>(GetParam());
  groups_of_every_size<std::int8_t>(GetParam());
}
TEST_P(Grouping, ByFloats) { groups_of_every_size<float>(GetParam()); }
TEST_P(Grouping, ByGroups) { groups_of_every_size<std::tuple<std::int8_t, bool>>(GetParam()); }

// Of many elements, a few distinct keys are counted, many are sorted.
TEST_P(Grouping, ManyElements) {
  const auto f = hs::compile(
      [](Acc<Vector<Index>> keys, Acc<Vector<Index>> values) {
        return std::tuple{hs::sum_by_key(keys, values), hs::count_by_key(keys)};
      },
      GetParam());
  constexpr Index n = 70'001;
  for (const Index different : {1, 40, 12'000, 60'000}) {
    const auto keys = Vector<Index>::from_function(
        {n}, [&](hs::Ix<1> i) { return (i[0] * 7919 % different - 20) * 7'777'777'777; });
    const auto values = Vector<Index>::from_function({n}, [](hs::Ix<1> i) { return i[0]; });
    std::map<Index, std::pair<Index, Index>> expected;
    for (Index i = 0; i < n; ++i) {
      expected[keys(i)].first += values(i);
      ++expected[keys(i)].second;
    }
    const auto [sums, counts] = f(keys, values);
    ASSERT_EQ(sums.first.size(), static_cast<Index>(expected.size()));
    EXPECT_EQ(counts.first, sums.first);
    Index k = 0;
    for (const auto& [key, both] : expected) {
      ASSERT_EQ(sums.first(k), key);
      ASSERT_EQ(sums.second(k), both.first);
      ASSERT_EQ(counts.second(k++), both.second);
    }
  }
}

// Values of many leaves, of which only the first are read; types of every size; longer than their
// keys, too.
using Wide = std::tuple<double, std::complex<double>, bool, hs::half, std::int32_t>;

TEST_P(Grouping, ValuesOfEverySize) {
  const auto f = hs::compile(
      [](Acc<Vector<Index>> keys, Acc<Vector<Wide>> values) {
        const auto [distinct, offsets, grouped] = hs::group_by(keys, values);
        return std::tuple{
            grouped, hs::map([](auto v) { return hs::get<0>(v); }, grouped),
            hs::sum_by_key(keys, hs::map([](auto v) { return hs::get<4>(v); }, values))};
      },
      GetParam());
  const auto value = [](hs::Ix<1> i) {
    const auto x = static_cast<double>(i[0]);
    return Wide{x,
                {x, -x},
                i[0] % 3 == 0,
                hs::half(static_cast<float>(i[0] % 100)),
                static_cast<std::int32_t>(i[0])};
  };
  for (const Index n : {0, 1, 211, 66'000}) {
    const auto key = [](Index i) { return i * 31 % 57 * 9'999'999'999; };
    const auto keys = Vector<Index>::from_function({n}, [&](hs::Ix<1> i) { return key(i[0]); });
    std::map<Index, std::vector<Index>> expected;
    for (Index i = 0; i < n; ++i) expected[key(i)].push_back(i);
    const auto [grouped, firsts, sums] = f(keys, Vector<Wide>::from_function({n + 5}, value));
    ASSERT_EQ(grouped.size(), n);
    ASSERT_EQ(sums.first.size(), static_cast<Index>(expected.size()));
    Index at = 0, k = 0;
    for (const auto& [each, group] : expected) {
      std::int32_t sum = 0;
      for (const Index i : group) {
        ASSERT_EQ(grouped(at), value({i})) << at;
        ASSERT_EQ(firsts(at++), static_cast<double>(i));
        sum += static_cast<std::int32_t>(i);
      }
      ASSERT_EQ(sums.first(k), each);
      ASSERT_EQ(sums.second(k++), sum);
    }
  }
}

// Values that are never read are not carried through the sort.
TEST_P(Grouping, UnreadValues) {
  const auto keys = hs::use(Vector<Index>{5, 3, 5});
  const auto [distinct, offsets, values] = hs::group_by(keys, hs::use(Vector<double>{1, 2, 3}));
  EXPECT_EQ(run(distinct), (Vector<Index>{3, 5}));
  EXPECT_EQ(run(offsets), (Vector<Index>{0, 1, 3}));
  EXPECT_EQ(run(values), (Vector<double>{2, 1, 3}));
}

TEST_P(Grouping, OffsetsFoldEachGroup) {
  const auto keys = hs::use(Vector<int>{3, 1, 3, 2, 1});
  const auto [distinct, offsets, values] =
      hs::group_by(keys, hs::use(Vector<float>{5, 2, 8, 1, 4}));
  const auto [k, greatest] =
      run(std::pair{distinct, hs::fold_seg_offsets([](auto x, auto y) { return hs::max(x, y); },
                                                   0.0f, values, offsets)});
  EXPECT_EQ(k, (Vector<int>{1, 2, 3}));
  EXPECT_EQ(greatest, (Vector<float>{4, 1, 8}));
}

TEST_P(Grouping, ExtentsIntersect) {
  const auto keys = hs::use(Vector<int>{2, 1, 2, 1, 7});
  const auto [k, sums] = run(hs::sum_by_key(keys, hs::use(Vector<int>{1, 10, 100})));
  EXPECT_EQ(k, (Vector<int>{1, 2}));
  EXPECT_EQ(sums, (Vector<int>{10, 101}));
}

TEST_P(Grouping, EachNaNIsAKeyOfItsOwn) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto [keys, counts] = run(hs::count_by_key(hs::use(Vector<float>{nan, 0, 1, nan, -0.0f})));
  EXPECT_EQ(counts, (Vector<Index>{2, 1, 1, 1}));
  EXPECT_EQ(keys(1), 1);
  EXPECT_TRUE(std::isnan(keys(2)) && std::isnan(keys(3)));
}

HASTEN_ON_EVERY_DEVICE(Grouping);

}  // namespace
