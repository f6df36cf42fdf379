// Properties of folds: order, seeds, axes, and reductions derived from them.
#include "tests/conformance/tool/operators.hpp"

namespace hasten::conformance {
namespace {

class Folds : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(Folds);

/// fold with a seed passed at run time, and fold1, on arrays of rank N.
template <class T, std::size_t N, class F>
void sweep_fold(const Options& target, const std::string& name, F f, const Sweep& how = {}) {
  using A = Acc<Array<T, N>>;
  const std::string of = " of " + type_name<T>() + " rank " + std::to_string(N);
  sweep(target,
        program("fold by " + name + of, [&](A a, Acc<Scalar<T>> z) { return fold(f, the(z), a); }),
        how);
  sweep(target, program("fold1 by " + name + of, [&](A a) { return fold1(f, a); }), how);
}

template <class T, class F>
void sweep_fold_ranks(const Options& target, const std::string& name, F f) {
  sweep_fold<T, 1>(target, name, f, {.large = true});
  sweep_fold<T, 2>(target, name, f, {.large = true});
  sweep_fold<T, 3>(target, name, f, {.large = true});
}

TEST_P(Folds, AffineMapsOfEveryInteger) {
  for_types(Integers{}, [&]<class T>(std::type_identity<T>) {
    sweep_fold<Affine<T>, 1>(GetParam(), "compose", compose, {.large = true});
  });
  sweep_fold_ranks<Affine<std::uint32_t>>(GetParam(), "compose", compose);
}

TEST_P(Folds, MatrixProducts) {
  sweep_fold_ranks<Square<std::int32_t>>(GetParam(), "multiply", multiply);
  sweep_fold<Square<std::uint8_t>, 1>(GetParam(), "multiply", multiply);
  sweep_fold<Square<std::int64_t>, 2>(GetParam(), "multiply", multiply);
}

TEST_P(Folds, FirstAndLast) {
  for_types(AllTypes{}, [&]<class T>(std::type_identity<T>) {
    sweep_fold<T, 1>(GetParam(), "first", first);
    sweep_fold<T, 2>(GetParam(), "last", last);
  });
  sweep_fold<Particle, 4>(GetParam(), "last", last);
}

TEST_P(Folds, Structs) { sweep_fold_ranks<Particle>(GetParam(), "heavier", heavier); }

TEST_P(Folds, SeedsAreUsedOnce) {
  for_types(Numbers{}, [&]<class T>(std::type_identity<T>) {
    sweep_fold<T, 1>(GetParam(), "+", std::plus<>{}, {.data = Data::tame, .large = true});
    sweep_fold<T, 2>(GetParam(), "*", std::multiplies<>{}, {.data = Data::signs});
  });
  sweep_fold<bool, 1>(GetParam(), "!=", [](const auto& x, const auto& y) { return x != y; },
                      {.large = true});
}

TEST_P(Folds, WithNeighbours) {
  const Sweep how{.data = Data::tame, .large = true};
  for_types(List<std::int32_t, float>{}, [&]<class T>(std::type_identity<T>) {
    const auto of_rows = [](auto a) { return fold(std::plus<>{}, T(5), a); };
    sweep_with_neighbours<T, 1>(GetParam(), "fold of " + type_name<T>(), of_rows, how);
    sweep_with_neighbours<T, 2>(GetParam(), "fold rows of " + type_name<T>(), of_rows, how);
    const auto of_columns = [](auto a) { return fold(std::plus<>{}, T(5), transpose(a)); };
    sweep_with_neighbours<T, 2>(GetParam(), "fold columns of " + type_name<T>(), of_columns, how);
  });
  const auto products = [](auto a) { return fold1(compose, reverse(a)); };
  sweep_with_neighbours<Affine<std::uint32_t>, 2>(GetParam(), "fold1 of reversed rows", products,
                                                  {.large = true});
}

TEST_P(Folds, OnAxesAndAll) {
  using T = Affine<std::uint32_t>;
  using Z = Acc<Scalar<T>>;
  const auto axes = [](Acc<Array<T, 3>> a, Z z) {
    return std::tuple{fold_on<0>(compose, the(z), a), fold_on<1>(compose, the(z), a),
                      fold_on<-1>(compose, the(z), a), fold_all(compose, the(z), a)};
  };
  sweep(GetParam(), program("fold_on each axis", axes), {.large = true});
  sweep(GetParam(), program("fold1_on", [](Acc<Matrix<T>> a) { return fold1_on<0>(compose, a); }),
        {.large = true});
  sweep(GetParam(), program("fold1_all", [](Acc<Matrix<T>> a) { return fold1_all(compose, a); }),
        {.large = true});
}

TEST_P(Folds, Sums) {
  for_types(Numbers{}, [&]<class T>(std::type_identity<T>) {
    using M = Acc<Matrix<T>>;
    const std::string name = " of " + type_name<T>();
    const auto sums = [](M a) { return std::tuple{sum(a), sum_on<0>(a), sum_all(a)}; };
    sweep(GetParam(), program("sums" + name, sums), {.data = Data::tame});
    using Wide = std::conditional_t<detail::is_floating_leaf<T>, double, std::int64_t>;
    sweep(GetParam(), program("wide sums" + name, [](Acc<Vector<T>> a) { return sum<Wide>(a); }),
          {.data = Data::tame, .large = true});
    sweep(GetParam(),
          program("products" + name, [](M a) { return std::tuple{product(a), product_all(a)}; }),
          {.data = Data::signs});
  });
}

TEST_P(Folds, Extremes) {
  for_types(Numbers{}, [&]<class T>(std::type_identity<T>) {
    using M = Acc<Matrix<T>>;
    const std::string name = " of " + type_name<T>();
    sweep(GetParam(), program("minimum" + name, [](M a) { return minimum(a); }));
    sweep(GetParam(), program("maximum_on" + name, [](M a) { return maximum_on<0>(a); }));
    sweep(GetParam(), program("maximum_all" + name, [](M a) { return maximum_all(a); }));
    sweep(GetParam(), program("argmin" + name, [](M a) { return argmin(a); }));
    sweep(GetParam(), program("argmax_all" + name, [](M a) { return argmax_all(a); }));
    sweep(GetParam(), program("argmax" + name, [](Acc<Vector<T>> a) { return argmax(a); }),
          {.large = true});
  });
  sweep(GetParam(), program("minimum of tuples", [](Acc<Matrix<Mixed>> a) { return minimum(a); }),
        {.data = Data::tame});
}

TEST_P(Folds, CountingAndTests) {
  using M = Acc<Matrix<std::int8_t>>;
  const auto is_odd = [](const auto& x) { return x % 2 != 0; };
  sweep(GetParam(), program("count", [&](M a) {
          return std::tuple{count(is_odd, a), count_all(is_odd, a), all_of(is_odd, a),
                            any_of(is_odd, a)};
        }));
  sweep(GetParam(), program("of bool", [](Acc<Matrix<bool>> a) {
          return std::tuple{count(a), all_of(a), any_of(a)};
        }));
}

TEST_P(Folds, TwoOfOneArray) {
  const auto f = [](Acc<Vector<double>> a) {
    const auto b = map([](const auto& x) { return x * 2.0; }, a);
    return std::tuple{sum(b), maximum(b), sum(b * b), b};
  };
  sweep(GetParam(), program("several folds of one array", f), {.data = Data::tame, .large = true});
}

TEST_P(Folds, InsideLargerPrograms) {
  const auto normalised = [](Acc<Matrix<float>> a) {
    const auto totals = sum(a);
    const auto spread = replicate(over(keep, shape(a)[1]), totals);
    return a - spread;
  };
  sweep(GetParam(), program("rows minus their sums", normalised), {.data = Data::tame});
  const auto matrix_product = [](Acc<Matrix<std::int32_t>> a, Acc<Matrix<std::int32_t>> b) {
    const auto rows = replicate(over(keep, shape(b)[1], keep), a);
    const auto columns = replicate(over(shape(a)[0], keep, keep), transpose(b));
    return sum(rows * columns);
  };
  sweep(GetParam(), program("matrix product", matrix_product));
}

}  // namespace
}  // namespace hasten::conformance
