// Loops that elements leave at different times, compared with the interpreter, which runs one
// element after the other. Errors of a loop's lanes show at the edges of registers, in states that
// continue although nothing reads them, and in conditions that become true again.
#include "support.hpp"

#include <limits>
#include <tuple>
#include <utility>
#include <vector>

using hs::Exp, hs::Vector;
using std::int32_t, std::int64_t, std::uint8_t;

namespace {

const std::vector<int64_t> sizes = {0, 1, 7, 8, 9, 31, 32, 33, 64, 65, 127, 1000};

class DivergingLoops : public hasten_test::OnEveryDevice {
 protected:
  /// Applies f to every element of vectors of all sizes.
  template <class T, class F>
  static void check(const F& f) {
    for (const int64_t n : sizes) {
      std::vector<T> values;
      for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<T>((i * 37 + 11) % 101));
      const auto program = hs::map(f, hs::use(Vector<T>(values)));
      EXPECT_EQ(run(program), hs::run(program, {.target = hs::interpreter()})) << n << " elements";
    }
  }
};

/// Counts rounds until a point leaves a circle, after which it diverges to infinity and NaN.
template <class T>
auto escape(const Exp<T>& start) {
  const auto c = start / T{50} - T{1.5};
  return hs::while_loop([](auto x, auto y, auto n) { return x * x + y * y < T{4} && n < 60; },
                        [=](auto x, auto y, auto n) {
                          return std::tuple{x * x - y * y + c, T{2} * x * y + c, n + 1};
                        },
                        std::tuple{c, c, int32_t{0}});
}

TEST_P(DivergingLoops, OnlyRoundsAreAskedFor) {
  check<float>([](const Exp<float>& x) { return hs::get<2>(escape(x)); });
  check<double>([](const Exp<double>& x) { return hs::get<2>(escape(x)); });
}

TEST_P(DivergingLoops, StatesStayWhatTheyWere) {
  check<float>([](const Exp<float>& x) {
    auto [re, im, n] = escape(x);
    return re + 2 * im + hs::cast<float>(n);
  });
  check<double>([](const Exp<double>& x) { return hs::get<1>(escape(x)); });
}

/// The condition becomes true again soon after it was false.
template <class T>
auto wander(const Exp<T>& start) {
  return hs::while_loop([](auto x, auto, auto n) { return x % T{16} != T{5} && n < 40; },
                        [](auto x, auto sum, auto n) {
                          const auto next = x * T{5} + T{3};
                          return std::tuple{next, sum + (next / T{8}), n + 1};
                        },
                        std::tuple{start, start, int64_t{0}});
}

TEST_P(DivergingLoops, WhoHasLeftStaysOut) {
  check<uint8_t>([](const Exp<uint8_t>& x) { return hs::get<2>(wander(x)); });
  check<std::uint32_t>([](const Exp<std::uint32_t>& x) { return hs::get<1>(wander(x)); });
  check<std::uint64_t>([](const Exp<std::uint64_t>& x) {
    auto [last, sum, n] = wander(x);
    return last + sum + hs::cast<std::uint64_t>(n);
  });
}

/// Rounds that are numbered from `first` on, below `limit`, with a condition that becomes true
/// again soon after it was false.
template <class N>
auto numbered(const Exp<std::uint32_t>& start, N first, N limit) {
  return hs::get<1>(hs::while_loop([=](auto x, auto n) { return x % 16U != 5U && n < limit; },
                                   [](auto x, auto n) { return std::tuple{x * 5U + 3U, n + N{1}}; },
                                   std::tuple{start, first}));
}

TEST_P(DivergingLoops, RoundsAreNumberedUpToTheLargestNumber) {
  constexpr int32_t most = std::numeric_limits<int32_t>::max();
  constexpr int32_t least = std::numeric_limits<int32_t>::min();
  constexpr std::uint32_t all = std::numeric_limits<std::uint32_t>::max();
  for (const auto& [first, limit] : std::vector<std::pair<int32_t, int32_t>>{{0, 40},
                                                                             {3, 40},
                                                                             {0, 1},
                                                                             {0, 0},
                                                                             {7, -7},
                                                                             {-20, 20},
                                                                             {most - 20, most},
                                                                             {least, least + 30}})
    check<std::uint32_t>(
        [=](const Exp<std::uint32_t>& x) { return numbered<int32_t>(x, first, limit); });
  for (const auto& [first, limit] :
       std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0U, 40U}, {all - 20U, all}})
    check<std::uint32_t>(
        [=](const Exp<std::uint32_t>& x) { return numbered<std::uint32_t>(x, first, limit); });
}

TEST_P(DivergingLoops, RoundsAreNumberedUnderBranchesToo) {
  check<std::uint32_t>([](const Exp<std::uint32_t>& x) {
    return hs::if_(x % 3U == 1U, numbered<int32_t>(x, 0, 30),
                   hs::if_(x % 7U == 2U, numbered<int32_t>(x + 1U, 5, 20), Exp<int32_t>(-1)));
  });
}

TEST_P(DivergingLoops, BoolsAreStates) {
  check<int32_t>([](const Exp<int32_t>& x) {
    auto [is_odd, goes_on, rest, rounds] =
        hs::while_loop([](auto, auto going, auto, auto) { return going; },
                       [](auto odd, auto, auto left, auto n) {
                         return std::tuple{!odd, left > 1, left - 3, n + 1};
                       },
                       std::tuple{x % 2 == 1, x != 50, x, int32_t{0}});
    return hs::select(is_odd, rounds, -rounds) + hs::select(goes_on, 1000, 0);
  });
}

TEST_P(DivergingLoops, UnderBranchesAndInsideOneAnother) {
  check<int32_t>([](const Exp<int32_t>& x) {
    const auto rounds = [](auto from) {
      return hs::get<1>(hs::while_loop([](auto n, auto) { return n > 1; },
                                       [](auto n, auto steps) {
                                         return std::pair{hs::select(n % 2 == 0, n / 2, 3 * n + 1),
                                                          steps + 1};
                                       },
                                       std::pair{from, int32_t{0}}));
    };
    const auto sum = hs::get<1>(
        hs::while_loop([](auto n, auto) { return n % 7 != 0; },
                       [&](auto n, auto total) { return std::pair{n + 1, total + rounds(n)}; },
                       std::pair{x, int32_t{0}}));
    return hs::select(x % 3 == 0, sum, rounds(x));
  });
}

TEST_P(DivergingLoops, ReadsAndMixedWidths) {
  const Vector<int64_t> steps{1, 2, 3, 5, 8, 13};
  check<float>([=](const Exp<float>& x) {
    const auto table = hs::use(steps);
    auto [place, sum, bytes] = hs::while_loop(
        [](auto at, auto y, auto) { return at < 97 && y < 30.0; },
        [=](auto at, auto y, auto small) {
          return std::tuple{at + table[at % 6], y * 1.25 + 0.5, hs::cast<uint8_t>(small + 3)};
        },
        std::tuple{hs::cast<int64_t>(x), hs::cast<double>(x) / 4.0, uint8_t{250}});
    return hs::cast<double>(place) + sum + hs::cast<double>(bytes);
  });
}

INSTANTIATE_TEST_SUITE_P(, DivergingLoops, testing::ValuesIn(hasten_test::all_devices()),
                         hasten_test::target_name);

}  // namespace
