// Properties on the element types that need special code: small floats, complex numbers, sum types,
// and groups of these.
#include "tests/conformance/tool/types.hpp"

namespace hasten::conformance {
namespace {

class ElementTypes : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(ElementTypes);

using C = std::complex<float>;
using Z = std::complex<double>;
using Spectrum = std::tuple<C, bool, std::pair<bfloat16, Z>>;
using Types = List<half, bfloat16, C, Z, Spectrum>;

TEST_P(ElementTypes, ElementwiseAndMoved) {
  for_types(Types{}, [&]<class T>(std::type_identity<T>) {
    using A = Acc<Vector<T>>;
    const std::string name = " of " + type_name<T>();
    sweep_with_neighbours<T, 1>(GetParam(), "map" + name, [](auto a) { return map(twisted, a); },
                                {.large = true});
    sweep(GetParam(), program("zip_with" + name, [](A a, A b) { return zip_with(joined, a, b); }));
    sweep(GetParam(), program("reverse" + name, [](A a) { return reverse(a); }));
    sweep(GetParam(),
          program("equality" + name, [](A a, A b) { return std::tuple{a == b, a != b}; }));
    sweep(GetParam(), program("gather" + name, [](A a, Acc<Vector<std::uint16_t>> at) {
            return map(
                [=](const auto& i) {
                  const auto k = cast<std::int64_t>(i);
                  return select(k < size(a), a[k], Exp<T>{});
                },
                at);
          }));
    sweep(GetParam(),
          program("transpose" + name, [](Acc<Matrix<T>> a) { return transpose(map(twisted, a)); }));
    sweep(GetParam(), program("choice by a condition" + name, [](A a, Acc<Vector<bool>> c) {
            return zip_with([](const auto& x, const auto& b) { return select(b, x, twist(x)); }, a,
                            c);
          }));
  });
}

TEST_P(ElementTypes, Folds) {
  for_types(List<half, C, Z>{}, [&]<class T>(std::type_identity<T>) {
    const std::string name = " of " + type_name<T>();
    const Sweep tame{.data = Data::tame, .large = !std::is_same_v<T, half>};
    const auto plus = [](const Exp<T>& x, const Exp<T>& y) { return x + y; };
    // Small integers, few enough for exact sums of halves.
    const auto small = [](const Exp<T>& x) { return x / T(8); };
    if constexpr (!std::is_same_v<T, half>) {
      sweep(GetParam(), program("sum" + name, [](Acc<Vector<T>> a) { return sum(a); }), tame);
      sweep(GetParam(),
            program("sum of columns" + name, [](Acc<Matrix<T>> a) { return sum_on<0>(a); }), tame);
    }
    sweep(GetParam(),
          program("fold with a seed" + name,
                  [=](Acc<Array<T, 3>> a) { return fold(plus, T(2), map(small, a)); }),
          tame);
  });
}

TEST_P(ElementTypes, LoopsWithComplexStates) {
  const auto f = [](Acc<Vector<C>> a, Acc<Vector<std::uint8_t>> n) {
    return zip_with(
        [](const Exp<C>& z, const Exp<std::uint8_t>& count) {
          return iterate(
              cast<std::int64_t>(count % std::uint8_t(7)),
              [&](const Exp<C>& w) { return w * conj(z) + C(0, 1); }, z);
        },
        a, n);
  };
  sweep(GetParam(), program("a loop with a complex state", f), {.data = Data::tame});
}

using Maybe = std::optional<std::int16_t>;
using Either = std::variant<std::int32_t, std::pair<float, bool>>;

TEST_P(ElementTypes, SumTypes) {
  const auto optionals = [](Acc<Vector<Maybe>> a, Acc<Vector<Maybe>> b) {
    return zip_with(
        [](const Exp<Maybe>& x, const Exp<Maybe>& y) {
          return std::tuple{
              x == y, x < y, select(has_value(x), x, y), value_or(y, 5),
              match(
                  x, [&](auto v) { return select(v > 0, some(v + 1), none); }, [&] { return y; })};
        },
        a, b);
  };
  sweep(GetParam(), program("optionals", optionals));
  const auto variants = [](Acc<Vector<Either>> a, Acc<Vector<float>> b) {
    return zip_with(
        [](const Exp<Either>& x, const Exp<float>& y) {
          const Exp<Either> other = Exp<std::pair<float, bool>>(y, true);
          return std::tuple{x == other, x <= other, select(y > 0, x, other),
                            match(
                                x, [](auto i) { return i; },
                                [](auto p, auto q) { return select(q, cast<int>(p), -1); })};
        },
        a, b);
  };
  sweep(GetParam(), program("variants", variants));
}

TEST_P(ElementTypes, RandomNumbers) {
  const auto f = [](Acc<Vector<std::uint64_t>> key, Acc<Vector<std::int32_t>> counter) {
    return std::tuple{philox(key, counter), uniform<float>(key, counter),
                      uniform<double>(key, counter)};
  };
  sweep(GetParam(), program("random numbers", f));
}

}  // namespace
}  // namespace hasten::conformance
