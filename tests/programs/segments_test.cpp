// Segmented folds and scans, compared with the operations on each segment.
#include "support.hpp"

#include <complex>
#include <functional>
#include <numeric>
#include <vector>

using hs::Array, hs::Exp, hs::Ix, hs::Matrix, hs::Vector;

namespace {

using Index = std::int64_t;

class Segments : public hasten_test::OnEveryTarget {};

/// x -> a * x + b: associative under composition, not commutative.
using Affine = std::pair<std::uint32_t, std::uint32_t>;
Affine after(const Affine& f, const Affine& g) {
  return {f.first * g.first, f.first * g.second + f.second};
}
const auto compose = [](const Exp<Affine>& f, const Exp<Affine>& g) {
  const auto [a, b] = f;
  const auto [c, d] = g;
  return std::pair{a * c, a * d + b};
};
const Affine seed{3, 5};

std::vector<Affine> maps(std::int32_t n) {
  std::vector<Affine> result;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(n); ++i)
    result.emplace_back(2 * i + 1, 7 * i);
  return result;
}

struct Case {
  std::vector<std::int32_t> lengths;
};
const std::vector<Case> cases{{{}},        {{0}},       {{5}},           {{0, 3, 0, 0, 2, 1, 0}},
                              {{1, 1, 1}}, {{0, 0, 0}}, {{100, 0, 900}}, {{4, 0}}};

/// The results of a function of each segment, concatenated.
template <class F>
std::vector<Affine> joined(const Case& c, const std::vector<Affine>& xs, F f) {
  std::vector<Affine> result;
  auto begin = xs.begin();
  for (const auto length : c.lengths) {
    const std::vector<Affine> part = f(std::vector<Affine>(begin, begin + length));
    result.insert(result.end(), part.begin(), part.end());
    begin += length;
  }
  return result;
}

std::vector<Affine> prefixes(const std::vector<Affine>& xs) {
  std::vector<Affine> all{seed};
  for (const Affine& x : xs) all.push_back(after(all.back(), x));
  return all;
}
std::vector<Affine> suffixes(const std::vector<Affine>& xs) {
  std::vector<Affine> all{seed};
  for (auto x = xs.rbegin(); x != xs.rend(); ++x) all.insert(all.begin(), after(*x, all.front()));
  return all;
}
std::vector<Affine> without_first(std::vector<Affine> all) {
  all.erase(all.begin());
  return all;
}
std::vector<Affine> without_last(std::vector<Affine> all) {
  all.pop_back();
  return all;
}

/// Calls f(case, elements, the elements as an array, the lengths as an array).
template <class F>
void for_cases(F f) {
  for (const Case& c : cases) {
    std::int32_t n = 0;
    for (const auto length : c.lengths) n += length;
    const auto xs = maps(n);
    f(c, xs, hs::use(hasten_test::vector_of(xs)), hs::use(hasten_test::vector_of(c.lengths)));
  }
}

TEST_P(Segments, Folds) {
  for_cases([&](const Case& c, const auto& xs, const auto& a, const auto& lengths) {
    const auto total = [](const auto& part) { return std::vector{prefixes(part).back()}; };
    EXPECT_EQ(run(hs::fold_seg(compose, seed, a, lengths)).to_vector(), joined(c, xs, total));
    const auto offsets = hs::scanl(std::plus<>{}, 0, lengths);
    EXPECT_EQ(run(hs::fold_seg_offsets(compose, seed, a, offsets)).to_vector(),
              joined(c, xs, total));
  });
  const auto a = hs::use(hasten_test::vector_of(maps(4)));
  const auto both = run(hs::fold1_seg(compose, a, hs::use(Vector<Index>{3, 1})));
  const auto xs = maps(4);
  EXPECT_EQ(both.to_vector(), (std::vector{after(after(xs[0], xs[1]), xs[2]), xs[3]}));
}

TEST_P(Segments, OffsetsMayLeaveElementsOut) {
  const auto a = hs::use(Vector<int>{1, 2, 3, 4, 5, 6});
  const auto offsets = hs::use(Vector<std::uint16_t>{1, 3, 3, 5});
  EXPECT_EQ(run(hs::fold_seg_offsets(std::plus<>{}, 100, a, offsets)),
            (Vector<int>{105, 100, 109}));
  EXPECT_EQ(run(hs::fold_seg_offsets(std::plus<>{}, 0, a, hs::use(Vector<int>{6}))).size(), 0);
}

// Lengths around those at which targets switch methods.
TEST_P(Segments, FoldsOfAllLengths) {
  for (const std::int32_t mean : {1, 8, 31, 64, 255, 1000})
    for (const std::int32_t segments : {1, 7, 40}) {
      Case c;
      std::int32_t n = 0;
      for (std::int32_t i = 0; i < segments; ++i)
        n += c.lengths.emplace_back(i % 4 == 3 ? 0 : mean + i % 3);
      const auto xs = maps(n);
      const auto a = hs::use(hasten_test::vector_of(xs));
      const auto lengths = hs::use(hasten_test::vector_of(c.lengths));
      const auto total = [](const auto& part) { return std::vector{prefixes(part).back()}; };
      EXPECT_EQ(run(hs::fold_seg(compose, seed, a, lengths)).to_vector(), joined(c, xs, total));
      const auto sum = [](const auto& part) {
        Affine result{0, 9};
        for (const Affine& x : part) result.first += x.first, result.second |= x.second;
        return std::vector{result};
      };
      const auto by_leaves = [](const Exp<Affine>& x, const Exp<Affine>& y) {
        return std::pair{hs::get<0>(x) + hs::get<0>(y), hs::get<1>(x) | hs::get<1>(y)};
      };
      EXPECT_EQ(run(hs::fold_seg(by_leaves, Affine{0, 9}, a, lengths)).to_vector(),
                joined(c, xs, sum));
    }
}

TEST_P(Segments, ElementsAndOffsetsAreComputedInPlace) {
  const auto squares = hs::generate(hs::ix(60), [](Exp<Ix<1>> i) { return i[0] * i[0]; });
  const auto every_third = hs::generate(hs::ix(21), [](Exp<Ix<1>> i) { return i[0] * 3; });
  std::vector<Index> expected;
  for (Index i = 0; i < 60; i += 3)
    expected.push_back(i * i + (i + 1) * (i + 1) + (i + 2) * (i + 2));
  EXPECT_EQ(run(hs::fold_seg_offsets(std::plus<>{}, Index{0}, squares, every_third)).to_vector(),
            expected);
}

TEST_P(Segments, FoldsOfComplexNumbersAndSmallFloats) {
  using C = std::complex<float>;
  std::vector<C> xs;
  for (int i = 0; i < 90; ++i) xs.emplace_back(static_cast<float>(i % 5), static_cast<float>(-i));
  const auto lengths = hs::use(Vector<int>{50, 0, 40});
  const auto sum = [&](int from, int to) {
    return std::accumulate(xs.begin() + from, xs.begin() + to, C{1, 2});
  };
  EXPECT_EQ(run(hs::fold_seg(std::plus<>{}, C{1, 2}, hs::use(hasten_test::vector_of(xs)), lengths))
                .to_vector(),
            (std::vector{sum(0, 50), C{1, 2}, sum(50, 90)}));
  const auto ones = hs::fill(hs::ix(90), hs::half(1.0F));
  EXPECT_EQ(run(hs::cast<float>(hs::fold_seg(std::plus<>{}, hs::half(0.5F), ones, lengths))),
            (Vector<float>{50.5F, 0.5F, 40.5F}));
}

TEST_P(Segments, ScansFromTheLeft) {
  for_cases([&](const Case& c, const auto& xs, const auto& a, const auto& lengths) {
    EXPECT_EQ(run(hs::scanl_seg(compose, seed, a, lengths)).to_vector(), joined(c, xs, prefixes));
    const auto before = [](const auto& part) { return without_last(prefixes(part)); };
    const auto with = [](const auto& part) { return without_first(prefixes(part)); };
    const auto total = [](const auto& part) { return std::vector{prefixes(part).back()}; };
    EXPECT_EQ(run(hs::prescanl_seg(compose, seed, a, lengths)).to_vector(), joined(c, xs, before));
    EXPECT_EQ(run(hs::postscanl_seg(compose, seed, a, lengths)).to_vector(), joined(c, xs, with));
    const auto [prefix, totals] = run(hs::scanl_split_seg(compose, seed, a, lengths));
    EXPECT_EQ(prefix.to_vector(), joined(c, xs, before));
    EXPECT_EQ(totals.to_vector(), joined(c, xs, total));
  });
}

TEST_P(Segments, ScansFromTheRight) {
  for_cases([&](const Case& c, const auto& xs, const auto& a, const auto& lengths) {
    EXPECT_EQ(run(hs::scanr_seg(compose, seed, a, lengths)).to_vector(), joined(c, xs, suffixes));
    const auto before = [](const auto& part) { return without_first(suffixes(part)); };
    const auto with = [](const auto& part) { return without_last(suffixes(part)); };
    const auto total = [](const auto& part) { return std::vector{suffixes(part).front()}; };
    EXPECT_EQ(run(hs::prescanr_seg(compose, seed, a, lengths)).to_vector(), joined(c, xs, before));
    EXPECT_EQ(run(hs::postscanr_seg(compose, seed, a, lengths)).to_vector(), joined(c, xs, with));
    const auto [suffix, totals] = run(hs::scanr_split_seg(compose, seed, a, lengths));
    EXPECT_EQ(suffix.to_vector(), joined(c, xs, before));
    EXPECT_EQ(totals.to_vector(), joined(c, xs, total));
  });
}

TEST_P(Segments, ScansWithoutASeed) {
  for_cases([&](const Case& c, const auto& xs, const auto& a, const auto& lengths) {
    const auto from_left = [](const auto& part) {
      std::vector<Affine> all;
      for (const Affine& x : part) all.push_back(all.empty() ? x : after(all.back(), x));
      return all;
    };
    const auto from_right = [](const auto& part) {
      std::vector<Affine> all;
      for (auto x = part.rbegin(); x != part.rend(); ++x)
        all.insert(all.begin(), all.empty() ? *x : after(*x, all.front()));
      return all;
    };
    EXPECT_EQ(run(hs::scanl1_seg(compose, a, lengths)).to_vector(), joined(c, xs, from_left));
    EXPECT_EQ(run(hs::scanr1_seg(compose, a, lengths)).to_vector(), joined(c, xs, from_right));
  });
}

// Sums and the like are scanned in registers of neighbours: beside vectors and tiles, with segments
// of which some are empty.
template <class T, class F>
void scan_in_loops(const std::vector<T>& xs, const std::vector<std::int32_t>& lengths, F f,
                   std::vector<T>& result) {
  result = xs;
  std::size_t begin = 0;
  for (const auto length : lengths) {
    const std::size_t end = begin + static_cast<std::size_t>(length);
    for (std::size_t i = begin + 1; i < end; ++i) result[i] = f(result[i - 1], xs[i]);
    begin = end;
  }
}

std::vector<std::int32_t> lengths_of(std::int32_t n, std::int32_t longest) {
  std::vector<std::int32_t> result;
  for (std::int32_t i = 0, left = n; left > 0; ++i) {
    result.push_back(std::min(left, i * 37 % (longest + 1)));
    left -= result.back();
  }
  return result;
}

template <class T>
std::vector<T> small_numbers_of(std::int32_t n) {
  std::vector<T> xs;
  for (std::int32_t i = 0; i < n; ++i) xs.push_back(static_cast<T>(i * 7919 % 23 - 5));
  return xs;
}

TEST_P(Segments, ScansOfTheTable) {
  const auto of_type = [&]<class T>(T) {
    for (const std::int32_t n : {1, 15, 16, 17, 63, 65, 1009, 32'768, 32'769, 70'001})
      for (const std::int32_t longest : {1, 3, 16, 100, 50'000}) {
        const std::vector<std::int32_t> lengths = lengths_of(n, longest);
        const std::vector<T> xs = small_numbers_of<T>(n);
        const auto x = hs::use(hasten_test::vector_of(xs));
        const auto l = hs::use(hasten_test::vector_of(lengths));
        std::vector<T> sums, largest;
        scan_in_loops(xs, lengths, [](T a, T b) { return static_cast<T>(a + b); }, sums);
        scan_in_loops(xs, lengths, [](T a, T b) { return std::max(a, b); }, largest);
        const auto larger = [](auto a, auto b) { return hs::max(a, b); };
        EXPECT_EQ(run(hs::scanl1_seg(std::plus<>{}, x, l)).to_vector(), sums) << n << longest;
        EXPECT_EQ(run(hs::scanl1_seg(larger, x, l)).to_vector(), largest) << n << longest;
      }
  };
  of_type(float{});
  of_type(std::int32_t{});
  of_type(std::uint8_t{});
}

TEST_P(Segments, OneDescriptorServesAllRows) {
  const auto m = hs::use(Matrix<int>{{1, 2, 3, 4}, {5, 6, 7, 8}});
  const auto lengths = hs::use(Vector<std::uint8_t>{1, 0, 3});
  const auto plus = std::plus<>{};
  EXPECT_EQ(run(hs::fold_seg(plus, 10, m, lengths)), (Matrix<int>{{11, 10, 19}, {15, 10, 31}}));
  EXPECT_EQ(run(hs::scanl_seg(plus, 0, m, lengths)),
            (Matrix<int>{{0, 1, 0, 0, 2, 5, 9}, {0, 5, 0, 0, 6, 13, 21}}));
  EXPECT_EQ(run(hs::scanr1_seg(plus, m, lengths)), (Matrix<int>{{1, 9, 7, 4}, {5, 21, 15, 8}}));
  EXPECT_EQ(run(hs::scanl_split_seg(plus, 0, m, lengths)).second,
            (Matrix<int>{{1, 0, 9}, {5, 0, 21}}));
  const auto no_rows = hs::use(Matrix<int>(hs::ix(0, 4), std::vector<int>{}));
  EXPECT_EQ(run(hs::fold_seg(plus, 0, no_rows, lengths)).shape(), Ix<2>(0, 3));
  EXPECT_EQ(run(hs::scanl_seg(plus, 0, no_rows, lengths)).shape(), Ix<2>(0, 7));
}

TEST_P(Segments, NumbersOfSegments) {
  EXPECT_EQ(run(hs::segment_ids(hs::use(Vector<int>{2, 1, 0, 3}))),
            (Vector<Index>{0, 0, 1, 3, 3, 3}));
  EXPECT_EQ(run(hs::segment_ids(hs::use(Vector<int>{}))).size(), 0);
  EXPECT_EQ(run(hs::segment_ids(hs::use(Vector<int>{0, 0}))).size(), 0);
}

TEST_P(Segments, OperatorsAreCalledOncePerOperationBuilt) {
  int calls = 0;
  const auto counted = [&](const Exp<int>& x, const Exp<int>& y) {
    ++calls;
    return x + y;
  };
  const auto a = hs::use(Vector<int>{1, 2, 3});
  const auto lengths = hs::use(Vector<int>{1, 2});
  run(hs::postscanl_seg(counted, 0, a, lengths));
  run(hs::fold_seg(counted, 0, a, lengths));
  EXPECT_EQ(calls, 2);
}

// The result uses one bit of the scan, which is always 0: so only the condition needs the scan.
TEST_P(Segments, LengthsAreCheckedWhateverIsNeeded) {
  const auto masked = [](const auto& lengths) {
    const auto scanned = hs::scanl_seg(std::plus<>{}, 0, hs::use(Vector<int>{1, 2, 3}), lengths);
    return hs::unit(scanned[0] & 0);
  };
  EXPECT_EQ(run(masked(hs::use(Vector<int>{1, 2}))).item(), 0);
  EXPECT_THROW(run(masked(hs::use(Vector<int>{1, 3}))), hs::ShapeError);
  // Lengths are checked in a branch, too, if it is taken.
  const auto branch = [&](bool is_taken) {
    const auto wrong = hs::use(Vector<int>{1, 3});
    const auto chosen = hs::acond(hs::the(hs::use(hs::Scalar<bool>(is_taken))), masked(wrong),
                                  hs::unit(Exp<int>(7)));
    return hs::unit(hs::the(chosen) & 0);
  };
  EXPECT_EQ(run(branch(false)).item(), 0);
  EXPECT_THROW(run(branch(true)), hs::ShapeError);
}

HASTEN_ON_EVERY_TARGET(Segments);

}  // namespace
