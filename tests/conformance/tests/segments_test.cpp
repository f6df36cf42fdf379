// Properties of segmented folds and scans on random lengths. Sometimes the lengths for an array
// without elements are not all zero: then both sides must throw the same error.
#include "tests/conformance/tool/operators.hpp"

namespace hasten::conformance {
namespace {

class Segments : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(Segments);

using Lengths = Acc<Vector<std::int8_t>>;

/// The array with as many elements per row as the lengths add up to, if it has any to repeat.
template <class T, std::size_t N, class I>
Acc<Array<T, N>> stretched(const Acc<Array<T, N>>& a, const Acc<Vector<I>>& lengths) {
  const auto n = the(sum<std::int64_t>(lengths));
  if constexpr (N == 1) {
    const auto extent = select(size(a) > 0, n, 0);
    return backpermute(extent, [=](const auto& i) { return i % size(a); }, a);
  } else {
    const auto rows = shape(a)[0], columns = shape(a)[1];
    return backpermute(
        ix(rows, select(columns > 0, n, 0)),
        [=](const auto& at) { return ix(at[0], at[1] % columns); }, a);
  }
}

/// f(array, lengths that add up to its innermost extent).
template <class T, std::size_t N, class F>
void sweep_segments(const Options& target, const std::string& name, F f, const Sweep& how = {}) {
  const std::string of = " of " + type_name<T>() + " rank " + std::to_string(N);
  sweep(target,
        program(name + of,
                [f](Acc<Array<T, N>> a, Lengths random) {
                  const auto lengths = map([](const auto& x) { return max(x, 0) % 7; }, random);
                  return f(stretched(a, lengths), lengths);
                }),
        how);
}

template <class T, std::size_t N, class F>
void sweep_operations(const Options& target, const std::string& name, F g, const Sweep& how = {}) {
  const T z{};
  sweep_segments<T, N>(
      target, "fold_seg by " + name,
      [=](auto a, auto n) {
        return std::pair{
            fold_seg(g, z, a, n),
            fold_seg_offsets(g, z, a,
                             scanl(std::plus<>{}, 0,
                                   map([](const auto& x) { return cast<std::int64_t>(x); }, n)))};
      },
      how);
  sweep_segments<T, N>(
      target, "scans from the left by " + name,
      [=](auto a, auto n) {
        return std::tuple{scanl_seg(g, z, a, n), scanl1_seg(g, a, n), prescanl_seg(g, z, a, n)};
      },
      how);
  sweep_segments<T, N>(
      target, "scans from the right by " + name,
      [=](auto a, auto n) {
        return std::tuple{scanr_seg(g, z, a, n), scanr1_seg(g, a, n), postscanr_seg(g, z, a, n)};
      },
      how);
}

TEST_P(Segments, AffineMaps) {
  using T = Affine<std::uint32_t>;
  sweep_operations<T, 1>(GetParam(), "compose", compose, {.large = true});
  sweep_operations<T, 2>(GetParam(), "compose", compose);
}
TEST_P(Segments, MatrixProducts) {
  sweep_operations<Square<std::int32_t>, 1>(GetParam(), "multiply", multiply);
}
TEST_P(Segments, Sums) {
  sweep_operations<double, 2>(GetParam(), "+", std::plus<>{}, {.data = Data::tame});
  sweep_operations<std::int16_t, 1>(GetParam(), "+", std::plus<>{});
}

// A few segments that are long enough for several lanes or items each, and empty ones.
template <class T, std::size_t N, class F>
void sweep_long(const Options& target, const std::string& name, F g, const T& z) {
  sweep(target,
        program("fold_seg of long segments by " + name, [=](Acc<Array<T, N>> a, Lengths random) {
          const auto lengths = map(
              [](const auto& x) {
                const auto n = cast<std::int32_t>(x);
                return select(n % 5 == 0, 0, n * n % 700);
              },
              take(6, random));
          return fold_seg(g, z, stretched(a, lengths), lengths);
        }));
}
TEST_P(Segments, LongFolds) {
  sweep_long<Affine<std::uint32_t>, 1>(GetParam(), "compose", compose, {3, 5});
  sweep_long<Affine<std::uint32_t>, 2>(GetParam(), "compose", compose, {3, 5});
  sweep_long<std::int32_t, 1>(GetParam(), "+", std::plus<>{}, 7);
  sweep_long<Mixed, 1>(GetParam(), "last", last, {});
}

TEST_P(Segments, Splits) {
  using T = Affine<std::uint32_t>;
  const T z{3, 5};
  const auto left = [=](auto a, auto n) {
    return std::pair{scanl_split_seg(compose, z, a, n), postscanl_seg(compose, z, a, n)};
  };
  const auto right = [=](auto a, auto n) {
    return std::pair{scanr_split_seg(compose, z, a, n), prescanr_seg(compose, z, a, n)};
  };
  sweep_segments<T, 1>(GetParam(), "scanl_split_seg", left);
  sweep_segments<T, 2>(GetParam(), "scanr_split_seg", right);
}

TEST_P(Segments, WithoutSeedsNoSegmentIsEmpty) {
  sweep(GetParam(),
        program("fold1_seg",
                [](Acc<Vector<Mixed>> a, Lengths random) {
                  const auto lengths = map([](const auto& x) { return max(x, 1) % 16; }, random);
                  return fold1_seg(last, stretched(a, lengths), lengths);
                }),
        {.large = true});
}

TEST_P(Segments, NumbersOfSegments) {
  sweep(GetParam(),
        program("segment_ids",
                [](Lengths random) {
                  return segment_ids(map([](const auto& x) { return max(x, 0) % 5; }, random));
                }),
        {.large = true});
  sweep(GetParam(),
        program("segment_ids of any", [](Lengths random) { return segment_ids(random); }));
}

}  // namespace
}  // namespace hasten::conformance
