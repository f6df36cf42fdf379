// Compactions: one launch each, on every device; folds of them store no array.
#include "tests/programs/support.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

namespace {

using Index = std::int64_t;

// Zero, one, odd sizes, around vectors and tiles of every target, and several tiles.
const Index sizes[] = {0, 1, 7, 15, 16, 17, 255, 2047, 2048, 2049, 16383, 16384, 16385, 100'003};

class Compact : public hasten_test::OnEveryDevice {
 protected:
  // The number of launches of a call after the first.
  template <class F, class... Args>
  Index launches(const F& program, const Args&... args) const {
    auto f = hs::compile(program, GetParam());
    f(args...);
    const Index before = f.statistics().launches;
    f(args...);
    return f.statistics().launches - before;
  }
  [[nodiscard]] bool is_interpreted() const { return GetParam().target.name() == "interpreter"; }
};

template <class T>
std::vector<T> some(Index n) {
  std::vector<T> result;
  for (Index i = 0; i < n; ++i) result.push_back(static_cast<T>(i * 7919 % 101 - 20));
  return result;
}

template <class T, class P>
std::vector<T> kept(const std::vector<T>& x, P p) {
  std::vector<T> result;
  std::copy_if(x.begin(), x.end(), std::back_inserter(result), p);
  return result;
}

TEST_P(Compact, AllSizesAndShares) {
  auto f = hs::compile(
      [](Acc<Vector<int>> a, Exp<int> least) {
        return hs::filter([=](const Exp<int>& x) { return x >= least; }, a);
      },
      GetParam());
  for (const Index n : sizes) {
    const std::vector<int> x = some<int>(n);
    for (const int least : {-100, 100, 30, 80, -19})
      EXPECT_EQ(f(hasten_test::vector_of(x), least).to_vector(),
                kept(x, [&](int v) { return v >= least; }))
          << n << " from " << least;
  }
}

template <class T>
void filter_of(const hs::Options& options) {
  auto f = hs::compile(
      [](Acc<Vector<bool>> mask, Acc<Vector<T>> a) { return hs::compact(mask, a); }, options);
  for (const Index n : {5, 2049, 40'000}) {
    std::vector<bool> bits;
    std::vector<T> expected;
    const std::vector<T> x = some<T>(n);
    for (Index i = 0; i < n; ++i) {
      bits.push_back(i * 31 % 7 < 3);
      if (bits.back()) expected.push_back(x[static_cast<std::size_t>(i)]);
    }
    EXPECT_EQ(f(Vector<bool>(bits), hasten_test::vector_of(x)).to_vector(), expected);
  }
}

TEST_P(Compact, OfEveryType) {
  filter_of<std::int8_t>(GetParam());
  filter_of<std::uint16_t>(GetParam());
  filter_of<std::int32_t>(GetParam());
  filter_of<std::uint64_t>(GetParam());
  filter_of<float>(GetParam());
  filter_of<double>(GetParam());
  filter_of<std::complex<float>>(GetParam());
  filter_of<std::complex<double>>(GetParam());
}

TEST_P(Compact, PartsInOrder) {
  const auto parts = [](Acc<Vector<int>> a) {
    return hs::partition([](const Exp<int>& x) { return x % 3 == 0; }, a);
  };
  auto f = hs::compile(parts, GetParam());
  for (const Index n : sizes) {
    const std::vector<int> x = some<int>(n);
    const auto [yes, no] = f(hasten_test::vector_of(x));
    EXPECT_EQ(yes.to_vector(), kept(x, [](int v) { return v % 3 == 0; })) << n;
    EXPECT_EQ(no.to_vector(), kept(x, [](int v) { return v % 3 != 0; })) << n;
  }
  if (is_interpreted()) return;
  EXPECT_EQ(launches(parts, hasten_test::vector_of(some<int>(5000))), 1);
}

TEST_P(Compact, PairsAndCostlyElements) {
  auto f = hs::compile(
      [](Acc<Vector<float>> a, Acc<Vector<Index>> b) {
        const auto roots = hs::map([](const Exp<float>& x) { return hs::exp(x / 50.0F); }, a);
        const auto pairs = hs::zip(roots, b);
        return hs::filter(
            [](const auto& p) { return hs::get<0>(p) > 1.0F && hs::get<1>(p) % 2 == 0; }, pairs);
      },
      GetParam());
  for (const Index n : {1, 3000, 50'000}) {
    const std::vector<float> x = some<float>(n);
    std::vector<Index> b(static_cast<std::size_t>(n)), expected;
    std::iota(b.begin(), b.end(), Index{0});
    for (Index i = 0; i < n; ++i)
      if (x[static_cast<std::size_t>(i)] > 0 && i % 2 == 0) expected.push_back(i);
    const auto result = f(hasten_test::vector_of(x), hasten_test::vector_of(b));
    std::vector<Index> places;
    for (const auto& [root, place] : result.to_vector()) places.push_back(place);
    EXPECT_EQ(places, expected) << n;
  }
}

TEST_P(Compact, OneLaunchEach) {
  const Index one = is_interpreted() ? 0 : 1;  // the interpreter launches nothing
  const auto x = hasten_test::vector_of(some<int>(5000));
  const auto positive = [](const Exp<int>& v) { return v > 0; };
  EXPECT_EQ(launches([&](Acc<Vector<int>> a) { return hs::filter(positive, a); }, x), one);
  EXPECT_EQ(launches(
                [&](Acc<Vector<int>> a) {
                  return hs::filter(positive,
                                    hs::map([](const Exp<int>& v) { return v * 3 - 7; }, a));
                },
                x),
            one);
  EXPECT_EQ(launches([&](Acc<Vector<int>> a) { return hs::sum(hs::filter(positive, a)); }, x), one);
  EXPECT_EQ(launches([&](Acc<Vector<int>> a) { return hs::unique(a); }, x), one);
  EXPECT_EQ(launches([&](Acc<Vector<int>> a) { return hs::run_lengths(a); }, x), 2 * one);
}

// -- folds ----------------------------------------------------------------------------------------

const auto is_large = [](const auto& x) { return x > 30; };
const auto most = [](const auto& a, const auto& b) { return hs::max(a, b); };

TEST_P(Compact, FoldsOfWhatIsKept) {
  const auto program = [](Acc<Vector<int>> a) {
    const auto some = hs::filter(is_large, a);
    const auto wide = hs::map([](const Exp<int>& v) { return hs::cast<Index>(v) * 3; }, some);
    return std::tuple{hs::sum(wide), hs::fold(most, -1000, some)};
  };
  auto f = hs::compile(program, GetParam());
  for (const Index n : sizes) {
    const std::vector<int> x = some<int>(n);
    const std::vector<int> chosen = kept(x, is_large);
    const auto [sum, largest] = f(hasten_test::vector_of(x));
    EXPECT_EQ(sum.item(), 3 * std::accumulate(chosen.begin(), chosen.end(), Index{0})) << n;
    EXPECT_EQ(largest.item(),
              chosen.empty() ? -1000 : *std::max_element(chosen.begin(), chosen.end()))
        << n;
  }
}

// An operator that neither commutes nor is built in: it composes functions a * x + b.
TEST_P(Compact, FoldsKeepTheOrder) {
  using Affine = std::pair<Index, Index>;
  const auto after = [](const auto& f, const auto& g) {
    return std::pair{hs::get<0>(f) * hs::get<0>(g) % 1009,
                     (hs::get<1>(f) * hs::get<0>(g) + hs::get<1>(g)) % 1009};
  };
  const auto program = [&](Acc<Vector<Index>> a) {
    const auto functions = hs::map([](const Exp<Index>& x) { return std::pair{x % 7 + 2, x}; },
                                   hs::filter(is_large, a));
    return hs::fold(after, Affine{3, 5}, functions);
  };
  auto f = hs::compile(program, GetParam());
  for (const Index n : sizes) {
    const std::vector<Index> x = some<Index>(n);
    Affine expected{3, 5};
    for (const Index v : kept(x, is_large))
      expected = {expected.first * (v % 7 + 2) % 1009, (expected.second * (v % 7 + 2) + v) % 1009};
    EXPECT_EQ(f(hasten_test::vector_of(x)).item(), expected) << n;
  }
  if (is_interpreted()) return;
  EXPECT_EQ(launches(program, hasten_test::vector_of(some<Index>(5000))), 1);
}

TEST_P(Compact, FoldsOfFloats) {
  auto f = hs::compile(
      [](Acc<Vector<float>> a) {
        const auto some = hs::filter([](const Exp<float>& x) { return x != 3.0F; }, a);
        return std::tuple{hs::sum(some), hs::product(some), hs::fold(most, -0.0F, some)};
      },
      GetParam());
  const auto sign = [](const hs::Scalar<float>& x) { return std::signbit(x.item()); };
  const auto [sum, product, largest] = f(Vector<float>{3.0F, 3.0F});
  EXPECT_EQ(sum.item(), 0.0F);
  EXPECT_FALSE(sign(sum));
  EXPECT_EQ(product.item(), 1.0F);
  EXPECT_TRUE(sign(largest));
  EXPECT_TRUE(std::isnan(std::get<0>(f(Vector<float>{1.0F, NAN, 3.0F})).item()));
  EXPECT_EQ(std::get<1>(f(Vector<float>{2.0F, 3.0F, 4.0F})).item(), 8.0F);
}

TEST_P(Compact, FoldsWithoutSeed) {
  auto f = hs::compile([](Acc<Vector<int>> a) { return hs::maximum(hs::filter(is_large, a)); },
                       GetParam());
  EXPECT_EQ(f(Vector<int>{1, 40, 77, 5}).item(), 77);
  EXPECT_THROW(f(Vector<int>{1, 2, 3}), hs::ShapeError);
  EXPECT_THROW(f(Vector<int>{}), hs::ShapeError);
}

// Dropped elements must not be computed: they would read out of range.
TEST_P(Compact, MapsOfWhatIsKeptAreLazy) {
  auto f = hs::compile(
      [](Acc<Vector<int>> a, Acc<Vector<int>> table) {
        const auto inside =
            hs::filter([&](const Exp<int>& x) { return x >= 0 && hs::cast<Index>(x) < 4; }, a);
        return hs::sum(
            hs::map([=](const Exp<int>& x) { return table[hs::cast<Index>(x)]; }, inside));
      },
      GetParam());
  EXPECT_EQ(
      f(Vector<int>{1, 1'000'000'000, -5, 3, 2'000'000'000}, Vector<int>{1, 10, 100, 1000}).item(),
      1010);
}

// -- in control flow ------------------------------------------------------------------------------

TEST_P(Compact, InLoopsAndBranches) {
  auto sieve = hs::compile(
      [](Exp<Index> n) {
        return hs::awhile([](auto a, auto) { return hs::size(a) > 1; },
                          [](auto a, auto rounds) {
                            const auto rest = hs::filter(
                                [](const Exp<Index>& x) { return x % 3 != 1; }, hs::tail(a));
                            return std::pair{rest, rounds + 1};
                          },
                          std::pair{hs::iota(n), hs::unit(Exp<Index>(0))});
      },
      GetParam());
  std::vector<Index> numbers(2000);
  std::iota(numbers.begin(), numbers.end(), Index{0});
  Index rounds = 0;
  for (; numbers.size() > 1; ++rounds) {
    numbers.erase(numbers.begin());
    numbers = kept(numbers, [](Index x) { return x % 3 != 1; });
  }
  const auto [left, count] = sieve(2000);
  EXPECT_EQ(left.to_vector(), numbers);
  EXPECT_EQ(count.item(), rounds);
  auto branch = hs::compile(
      [](Acc<Vector<int>> a, Exp<bool> large) {
        return hs::acond(large, hs::filter(is_large, a), hs::unique(a));
      },
      GetParam());
  EXPECT_EQ(branch(Vector<int>{40, 40, 1}, true), (Vector<int>{40, 40}));
  EXPECT_EQ(branch(Vector<int>{40, 40, 1}, false), (Vector<int>{40, 1}));
}

}  // namespace

HASTEN_ON_EVERY_DEVICE(Compact);
