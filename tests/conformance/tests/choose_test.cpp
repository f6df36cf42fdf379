// Properties of choosing, sorting and joining elements.
#include "tests/conformance/tool/operators.hpp"

namespace hasten::conformance {
namespace {

class Choosing : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(Choosing);

template <class T>
Exp<bool> odd(const Exp<T>& x) {
  return as_number(x) % 2 != 0;
}
inline constexpr auto is_odd = [](const auto& x) { return odd(x); };

TEST_P(Choosing, Filter) {
  for_types(List<bool, std::int8_t, std::int64_t, float, Mixed, Particle>{},
            [&]<class T>(std::type_identity<T>) {
              const std::string of = " of " + type_name<T>();
              const Sweep how{.data = Data::tame, .large = true};
              sweep(GetParam(),
                    program("filter" + of, [](Acc<Vector<T>> a) { return filter(is_odd, a); }),
                    how);
            });
  const Sweep how{.large = true};
  sweep(GetParam(),
        program("filter rows", [](Acc<Matrix<std::int32_t>> a) { return filter(is_odd, a); }), how);
  sweep(GetParam(),
        program("filter of rank 3",
                [](Acc<Array<Particle, 3>> a) { return filter(is_odd, map(twisted, a)); }),
        {.data = Data::tame, .large = true});
}

TEST_P(Choosing, CompactAndPartition) {
  sweep(GetParam(),
        program("compact",
                [](Acc<Vector<bool>> mask, Acc<Vector<Mixed>> a) { return compact(mask, a); }),
        {.large = true});
  sweep(GetParam(),
        program("compact rows",
                [](Acc<Matrix<bool>> mask, Acc<Matrix<double>> a) { return compact(mask, a); }),
        {.large = true});
  sweep(GetParam(),
        program("partition",
                [](Acc<Vector<std::int32_t>> a) {
                  const auto [odds, evens] = partition(is_odd, map(twisted, a));
                  return std::tuple{odds, evens, sum(odds), size(evens)};
                }),
        {.large = true});
}

TEST_P(Choosing, Runs) {
  for_types(List<bool, std::int8_t, float, Mixed>{}, [&]<class T>(std::type_identity<T>) {
    const std::string of = " of " + type_name<T>();
    sweep(GetParam(), program("unique" + of, [](Acc<Vector<T>> a) { return unique(a); }));
    sweep(GetParam(), program("run_lengths" + of, [](Acc<Vector<T>> a) { return run_lengths(a); }),
          {.large = true});
  });
  using A = Affine<std::uint32_t>;
  sweep(GetParam(),
        program("fold_by_key",
                [](Acc<Vector<bool>> keys, Acc<Vector<A>> values) {
                  return fold_by_key(compose, keys, values);
                }),
        {.large = true});
}

TEST_P(Choosing, Expand) {
  const auto f = [](Acc<Vector<std::int8_t>> a) {
    return expand([](const auto& x) { return x % 5; },
                  [](const auto& x, const auto& k) { return cast<std::int64_t>(x) * 10 + k; }, a);
  };
  sweep(GetParam(), program("expand", f), {.large = true});
}

TEST_P(Choosing, SortEveryType) {
  for_types(AllTypes{}, [&]<class T>(std::type_identity<T>) {
    const std::string of = " of " + type_name<T>();
    const auto both = [](Acc<Vector<T>> a) {
      return std::pair{sort(a), sort(a, Order::descending)};
    };
    sweep(GetParam(), program("sort" + of, both), {.large = true});
  });
  sweep(GetParam(), program("sort rows", [](Acc<Matrix<float>> a) { return sort(a); }),
        {.large = true});
  sweep(GetParam(), program("sort of rank 4", [](Acc<Array<std::int16_t, 4>> a) {
          return sort(map(twisted, a), Order::descending);
        }));
}

TEST_P(Choosing, SortByKeys) {
  using V = Acc<Vector<Particle>>;
  sweep(GetParam(),
        program("sort_by",
                [](V a) {
                  return std::pair{
                      sort_by([](const auto& p) { return p.charge % 8; }, a),
                      sort_by([](const auto& p) { return p.x; }, a, Order::descending)};
                }),
        {.large = true});
  sweep(GetParam(),
        program("sort_by_key", [](Acc<Matrix<std::uint8_t>> k,
                                  Acc<Matrix<Mixed>> a) { return sort_by_key(k, a); }),
        {.large = true});
  using N = Exp<std::int64_t>;
  sweep(GetParam(),
        program("top_k",
                [](N k, Acc<Matrix<double>> a) {
                  return std::pair{top_k(k, a), top_k(k, a, Order::ascending)};
                }),
        {.large = true, .numbers = {-1, 0, 1, 3, 64, 5000}});
  sweep(GetParam(),
        program("top_k of pairs", [](N k, Acc<Vector<std::int32_t>> a,
                                     Acc<Vector<float>> b) { return top_k(k, zip(a, b)); }),
        {.large = true, .numbers = {1, 10}});
}

TEST_P(Choosing, Concat) {
  for_few_kinds([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    sweep(GetParam(),
          program("concat" + name,
                  [](A a, A b) {
                    return std::tuple{concat(a, b), concat_on<0>(map(twisted, b), a, a)};
                  }),
          {.large = true});
  });
  sweep(GetParam(),
        program("concat of a range",
                [](Acc<Vector<std::int32_t>> a) {
                  return map(twisted, concat(std::vector{a, map(twisted, a), reverse(a), a}));
                }),
        {.large = true});
  sweep(GetParam(),
        program("a sum of a concat",
                [](Acc<Vector<std::int32_t>> a) { return sum(concat(a, map(twisted, a))); }),
        {.large = true});
}

}  // namespace
}  // namespace hasten::conformance
