// Structured operators with non-neutral seeds: the best interval of a sequence, and bounded
// strings. Each is associative and does not commute; each result depends on all elements before it.
#include "tests/conformance/tool/types.hpp"

namespace hasten::conformance {
namespace {

class Monoids : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(Monoids);

/// The summary of a sequence: its sum, and the largest sums of a prefix, a suffix and an interval.
struct Interval {
  std::int64_t total, prefix, suffix, best;
};
HASTEN_STRUCT(Interval, total, prefix, suffix, best);

constexpr auto best_of = [](const Exp<Interval>& a, const Exp<Interval>& b) {
  return Exp<Interval>(a.total + b.total, max(a.prefix, a.total + b.prefix),
                       max(b.suffix, b.total + a.suffix),
                       max(max(a.best, b.best), a.suffix + b.prefix));
};
Exp<Interval> interval(const Exp<std::int8_t>& x) {
  const auto n = cast<std::int64_t>(x), high = max(n, 0);
  return {n, high, high, high};
}

/// The last eight characters of a string, and their number.
using Text = std::pair<std::uint64_t, std::uint8_t>;
constexpr auto joined_text = [](const Exp<Text>& a, const Exp<Text>& b) {
  const auto [x, n] = a;
  const auto [y, m] = b;
  return std::pair{(x << (m * std::uint8_t{8})) | y, min(n + m, std::uint8_t{8})};
};
Exp<Text> text(const Exp<std::int8_t>& x) {
  const auto c = cast<std::uint64_t>(cast<std::uint8_t>(x));
  return select(x % 3 == 0, Exp<Text>(0U, 0U),
                select(x % 3 == 1, Exp<Text>(c, 1U), Exp<Text>(c << 8 | 'b', 2U)));
}

template <class T, std::size_t N, class F, class G>
void sweep_axis(const Options& target, const std::string& of, F f, G element, T z) {
  using A = Acc<Array<std::int8_t, N>>;
  const std::string name = of + " rank " + std::to_string(N);
  sweep(target,
        program("folds of " + name,
                [=](A a) {
                  const auto x = map(element, a);
                  return std::tuple{fold(f, z, x), fold_all(f, z, x), fold_on<0>(f, z, x)};
                }),
        {.large = true});
  sweep(target,
        program("scans of " + name,
                [=](A a) {
                  const auto x = compute(map(element, a));
                  return std::tuple{
                      scanl(f, z, x),           scanr(f, z, x), prescanl_on<0>(f, z, x),
                      postscanr_on<0>(f, z, x), scanl1(f, x),   scanr1_on<0>(f, x)};
                }),
        {.large = true});
}

template <class T, class F, class G>
void sweep_segments(const Options& target, const std::string& of, F f, G element, T z) {
  using V = Acc<Vector<std::int8_t>>;
  // As many segments as elements, with zero to two elements each.
  const auto lengths_of = [](const V& a) {
    const auto n = size(a);
    return generate(n, [=](const auto& i) {
      return select(i % 3 == 2 || (i == n - 1 && i % 3 == 0), std::int64_t{1},
                    select(i % 3 == 0, std::int64_t{2}, std::int64_t{0}));
    });
  };
  sweep(target,
        program("segments of " + of,
                [=](V a) {
                  const auto x = map(element, a);
                  const auto lengths = lengths_of(a);
                  return std::tuple{fold_seg(f, z, x, lengths), scanl_seg(f, z, x, lengths),
                                    scanr1_seg(f, x, lengths), postscanl_seg(f, z, x, lengths),
                                    prescanr_seg(f, z, x, lengths)};
                }),
        {.large = true});
  sweep(target,
        program("runs of " + of,
                [=](V keys, V a) {
                  const auto few = map([](const auto& k) { return k / 64; }, keys);
                  return fold_by_key(f, few, map(element, a));
                }),
        {.large = true});
}

TEST_P(Monoids, BestIntervals) {
  const Interval z{3, 4, -1, 5};
  sweep_axis<Interval, 1>(GetParam(), "intervals", best_of, interval, z);
  sweep_axis<Interval, 2>(GetParam(), "intervals", best_of, interval, z);
  sweep_axis<Interval, 3>(GetParam(), "intervals", best_of, interval, z);
  sweep_segments<Interval>(GetParam(), "intervals", best_of, interval, z);
}

TEST_P(Monoids, BoundedStrings) {
  const Text z{'z', 1};
  sweep_axis<Text, 1>(GetParam(), "strings", joined_text, text, z);
  sweep_axis<Text, 2>(GetParam(), "strings", joined_text, text, z);
  sweep_axis<Text, 3>(GetParam(), "strings", joined_text, text, z);
  sweep_segments<Text>(GetParam(), "strings", joined_text, text, z);
}

}  // namespace
}  // namespace hasten::conformance
