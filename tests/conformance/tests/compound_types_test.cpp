// Collective operations, through their templates, on element types other than plain numbers: small
// floats, complex numbers, sum types, arrays, nested structs.
#include "tests/conformance/tool/operators.hpp"

namespace hasten::conformance {
namespace {

class CompoundTypes : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(CompoundTypes);

struct Cluster {
  Particle centre;
  std::array<half, 2> spread;
  std::pair<std::uint16_t, bool> tag;
};
HASTEN_STRUCT(Cluster, centre, spread, tag);

using Maybe = std::optional<std::int16_t>;
using Either = std::variant<std::int32_t, std::pair<float, bool>>;
using Triple = std::array<std::int16_t, 3>;

constexpr auto at_even = [](const auto& i) { return i % 2 == 0; };

/// Operations that move elements unchanged.
template <class T>
void sweep_moves(const Options& target) {
  using V = Acc<Vector<T>>;
  using M = Acc<Matrix<T>>;
  using N = Exp<std::int64_t>;
  const std::string of = " of " + type_name<T>();
  sweep(target, program("joined and turned" + of, [](M a, M b) {
          return std::tuple{concat_on<0>(a, b), reverse_on<0>(a), transpose(b), rotate(3, a),
                            slit(1, 4, b)};
        }));
  sweep(target,
        program("chosen" + of,
                [](V a) {
                  const auto same =
                      zip_with([](const auto& x, const auto& y) { return x == y; }, a, reverse(a));
                  const auto mask = imap([](const auto& i, const auto&) { return at_even(i); }, a);
                  return std::tuple{compact(same, a), compact(mask, a), unique(a), run_lengths(a)};
                }),
        {.large = true});
  sweep(target,
        program("sent and fetched" + of,
                [](V a, V b, N n) {
                  const auto some_places = [=](const N& i) {
                    return select(at_even(i), some(i * 3 % n), none);
                  };
                  const auto indices = map([=](const auto&) { return Exp<std::int64_t>(0); }, a);
                  return std::tuple{permute(first, a, some_places, b),
                                    permute_unique(
                                        a, [=](const N& i) { return i + n; }, b),
                                    scatter(indices, a, b)};
                }),
        {.large = true, .numbers = {1, 2, 17, 1009}});
  sweep(target, program("neighbours" + of, [](M a) {
          const auto pick = [](const auto& at) {
            return select(at(0, 1) == at(0, 0), at(-1, 0), at(2, -3));
          };
          return std::tuple{stencil(pick, boundary::clamp, a), stencil(pick, boundary::mirror, a),
                            stencil(pick, boundary::wrap, a),
                            stencil(pick, boundary::outside(Exp<T>()), a)};
        }));
}

/// Operations that combine elements, and control flow.
template <class T>
void sweep_collectives(const Options& target) {
  using V = Acc<Vector<T>>;
  using M = Acc<Matrix<T>>;
  using S = Acc<Scalar<T>>;
  const std::string of = " of " + type_name<T>();
  sweep(target,
        program("folds" + of,
                [](Acc<Array<T, 3>> a, S z) {
                  return std::tuple{fold(last, the(z), a), fold_on<0>(first, the(z), a),
                                    fold_all(last, the(z), a)};
                }),
        {.large = true});
  sweep(target, program("scans" + of, [](M a, S z) {
          return std::tuple{scanl(last, the(z), a), scanr_on<0>(first, the(z), a), scanl1(first, a),
                            prescanr(last, the(z), a), scanl_split(first, the(z), a)};
        }));
  sweep(target, program("segments" + of, [](V a, S z) {
          const auto half = size(a) / 2;
          const auto lengths = generate(3, [=](const auto& i) {
            return select(i == 0, half, select(i == 1, Exp<std::int64_t>(0), size(a) - half));
          });
          return std::tuple{fold_seg(last, the(z), a, lengths), scanl_seg(last, the(z), a, lengths),
                            scanr1_seg(first, a, lengths)};
        }));
  sweep(target, program("runs and copies" + of, [](V a) {
          return std::pair{fold_by_key(last, a, a),
                           expand([](const auto& x) { return select(x == x, 2, 0); },
                                  [](const auto& x, const auto&) { return x; }, a)};
        }));
  sweep(target, program("loops that shorten" + of, [](V a) {
          return awhile([](const V& x) { return size(x) > 3; },
                        [](const V& x) {
                          const auto half = size(x) / 2;
                          return concat(take(1, x),
                                        zip_with(last, take(half - 1, x), drop(half, x)));
                        },
                        a);
        }));
  sweep(target,
        program("branches" + of, [](V a, V b) { return acond(size(a) < size(b), a, reverse(b)); }));
}

template <class T>
void sweep_orders(const Options& target) {
  using V = Acc<Vector<T>>;
  using M = Acc<Matrix<T>>;
  const std::string of = " of " + type_name<T>();
  sweep(target, program("sorts" + of, [](M a) {
          return std::tuple{sort(a), sort(a, Order::descending), top_k(3, a),
                            top_k(2, a, Order::ascending)};
        }));
  sweep(target,
        program("sort by key" + of,
                [](V k, Acc<Vector<std::uint16_t>> a) {
                  return std::pair{sort_by_key(k, a), sort_by_key(a, k, Order::descending)};
                }),
        {.large = true});
  sweep(target, program("order" + of, [](V a, V b) {
          return std::tuple{zip_with([](const auto& x, const auto& y) { return x < y; }, a, b),
                            zip_with([](const auto& x, const auto& y) { return x >= y; }, a, b)};
        }));
}

TEST_P(CompoundTypes, Moves) {
  for_types(List<half, bfloat16, std::complex<float>, Maybe, Either, Triple, Cluster>{},
            [&]<class T>(std::type_identity<T>) { sweep_moves<T>(GetParam()); });
}

TEST_P(CompoundTypes, Collectives) {
  for_types(List<half, std::complex<double>, Maybe, Either, Triple, Cluster>{},
            [&]<class T>(std::type_identity<T>) { sweep_collectives<T>(GetParam()); });
}

TEST_P(CompoundTypes, Orders) {
  for_types(List<half, bfloat16, Maybe, Either, Triple, Cluster>{},
            [&]<class T>(std::type_identity<T>) { sweep_orders<T>(GetParam()); });
}

}  // namespace
}  // namespace hasten::conformance
