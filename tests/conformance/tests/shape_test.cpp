// Properties of the operations that change an array's shape or the order of its elements.
#include "tests/conformance/tool/types.hpp"

namespace hasten::conformance {
namespace {

class ShapeOperations : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(ShapeOperations);

const std::vector<std::int64_t> amounts = {-70000, -17, -1, 0, 1, 2, 3, 16, 31, 64, 1009, 70000};

TEST_P(ShapeOperations, Reverse) {
  for_kinds<1>([&]<class K>(K, const std::string& name) {
    sweep(GetParam(), program("reverse" + name, [](typename K::Acc a) { return reverse(a); }));
  });
  const auto on_outer = [](Acc<Array<std::int32_t, 3>> a) {
    return std::tuple{reverse_on<0>(a), reverse_on<1>(a)};
  };
  sweep(GetParam(), program("reverse_on", on_outer));
}

TEST_P(ShapeOperations, Transpose) {
  for_kinds<2>([&]<class K>(K, const std::string& name) {
    sweep(GetParam(), program("transpose" + name, [](typename K::Acc a) { return transpose(a); }));
  });
  const auto outer = [](Acc<Array<std::int32_t, 3>> a) {
    return std::tuple{transpose_on<0, 2>(a), transpose_on<0, 1>(a), transpose_on<-1, -1>(a)};
  };
  sweep(GetParam(), program("transpose_on", outer));
}

TEST_P(ShapeOperations, ReorderingWithNeighbours) {
  for_types(FewTypes{}, [&]<class T>(std::type_identity<T>) {
    const Sweep large{.large = true};
    const std::string name = " of " + type_name<T>();
    sweep_with_neighbours<T, 1>(
        GetParam(), "reverse" + name, [](auto a) { return reverse(a); }, large);
    sweep_with_neighbours<T, 2>(
        GetParam(), "transpose" + name, [](auto a) { return transpose(a); }, large);
  });
}

TEST_P(ShapeOperations, TakeAndDrop) {
  for_kinds<1>([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    using N = Exp<std::int64_t>;
    const Sweep how{.numbers = amounts};
    sweep(GetParam(), program("take" + name, [](A a, N n) { return take(n, a); }), how);
    sweep(GetParam(), program("drop" + name, [](A a, N n) { return drop(n, a); }), how);
    sweep(GetParam(), program("take_on" + name, [](A a, N n) { return take_on<0>(n, a); }), how);
  });
}

TEST_P(ShapeOperations, PartsAlongAnAxis) {
  for_few_kinds([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    using N = Exp<std::int64_t>;
    const Sweep how{.numbers = amounts};
    sweep(GetParam(), program("init and tail" + name, [](A a) {
            return std::tuple{init(a), tail(a), tail_on<0>(init_on<0>(a))};
          }));
    sweep(GetParam(), program("slit" + name, [](A a, N start, N n) { return slit(start, n, a); }),
          how);
    sweep(GetParam(), program("rotate" + name, [](A a, N n) { return rotate(n, a); }), how);
    sweep(GetParam(), program("rotate_on" + name, [](A a, N n) { return rotate_on<0>(n, a); }),
          how);
  });
}

TEST_P(ShapeOperations, ReshapeAndFlatten) {
  for_kinds<0>([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    sweep(GetParam(), program("flatten" + name, [](A a) { return flatten(a); }));
    sweep(GetParam(), program("reshape and back" + name, [](A a) {
            const auto column = reshape(ix(size(a), 1), a);
            return std::tuple{column, reshape(shape(a), map(twisted, column))};
          }));
  });
}

TEST_P(ShapeOperations, ReshapeOfAnotherSizeIsAnError) {
  for_types(FewTypes{}, [&]<class T>(std::type_identity<T>) {
    const auto f = [](Acc<Vector<T>> a, Exp<std::int64_t> n) { return reshape(ix(n, n), a); };
    sweep(GetParam(), program("reshape to a square of " + type_name<T>(), f),
          {.numbers = {0, 1, 4, 8}});
    const auto fused = [](Acc<Vector<T>> a, Exp<std::int64_t> n) {
      return map(twisted, reshape(ix(n, n), map(twisted, a)));
    };
    sweep(GetParam(), program("reshape between maps of " + type_name<T>(), fused),
          {.numbers = {0, 1, 4, 8}});
  });
}

template <class T>
void sweep_replicate(const Options& target) {
  using N = Exp<std::int64_t>;
  const Sweep how{.numbers = {-1, 0, 1, 2, 5, 17}};
  const std::string name = " of " + type_name<T>();
  sweep(target,
        program("replicate a scalar" + name,
                [](Acc<Scalar<T>> a, N n) { return replicate(over(n), a); }),
        how);
  sweep(target,
        program("replicate rows" + name,
                [](Acc<Vector<T>> a, N n) { return replicate(over(n, keep), a); }),
        how);
  sweep(target,
        program("replicate columns" + name,
                [](Acc<Vector<T>> a, N n) { return replicate(over(keep, n), map(twisted, a)); }),
        how);
}

TEST_P(ShapeOperations, Replicate) {
  for_types(AllTypes{}, [&]<class T>(std::type_identity<T>) { sweep_replicate<T>(GetParam()); });
  for_types(FewTypes{}, [&]<class T>(std::type_identity<T>) {
    using N = Exp<std::int64_t>;
    const auto f = [](Acc<Matrix<T>> a, N n, N m) {
      return map(twisted, replicate(over(n, keep, m, keep), a));
    };
    sweep(GetParam(), program("replicate a matrix of " + type_name<T>(), f),
          {.numbers = {0, 1, 3}});
  });
}

TEST_P(ShapeOperations, Slice) {
  for_types(AllTypes{}, [&]<class T>(std::type_identity<T>) {
    using N = Exp<std::int64_t>;
    using M = Acc<Matrix<T>>;
    const std::string name = " of " + type_name<T>();
    const Sweep how{.numbers = {0, 1, 2, 7, 64}, .checks = Checks::bounds};
    sweep(GetParam(), program("a row" + name, [](M a, N k) { return slice(over(k, keep), a); }),
          how);
    sweep(
        GetParam(),
        program("a column" + name, [](M a, N k) { return slice(over(keep, k), map(twisted, a)); }),
        how);
  });
  const auto inner = [](Acc<Array<Particle, 4>> a) {
    return slice(over(0, keep, 1, keep), take_on<2>(2, a));
  };
  sweep(GetParam(), program("a slice of rank 4", inner), {.checks = Checks::bounds});
}

TEST_P(ShapeOperations, Backpermute) {
  for_kinds<1>([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    const auto scrambled = [](A a) {  // reads every element, in another order
      return backpermute(
          shape(a),
          [=](const auto& at) {
            if constexpr (K::rank == 1) {
              return (at * 7 + 3) % size(a);
            } else {
              return from_index(shape(a), (to_index(shape(a), at) * 7 + 3) % size(a));
            }
          },
          a);
    };
    sweep(GetParam(), program("backpermute" + name, scrambled));
  });
  for_types(FewTypes{}, [&]<class T>(std::type_identity<T>) {
    const auto every_second = [](auto a) {
      return backpermute(size(a) / 2, [](const auto& i) { return i * 2; }, a);
    };
    sweep_with_neighbours<T, 1>(GetParam(), "every second of " + type_name<T>(), every_second,
                                {.large = true});
    const auto rows = [](Acc<Vector<T>> a) {
      return backpermute(ix(3, size(a)), [](const auto& at) { return at[1]; }, a);
    };
    sweep(GetParam(), program("backpermute to a matrix of " + type_name<T>(), rows));
  });
}

TEST_P(ShapeOperations, ChainsOfThem) {
  for_types(FewTypes{}, [&]<class T>(std::type_identity<T>) {
    const auto chain = [](Acc<Matrix<T>> a, Exp<std::int64_t> n) {
      auto b = transpose(reverse(drop(n, map(twisted, a))));
      return std::tuple{map(twisted, rotate(n, b)), flatten(take(n + 3, transpose(b))), shape(b)};
    };
    sweep(GetParam(), program("a chain on " + type_name<T>(), chain), {.numbers = {0, 1, 3, 16}});
  });
}

TEST_P(ShapeOperations, ReadsOutOfRangeAreErrorsWhenChecked) {
  const auto f = [](Acc<Vector<std::int32_t>> a, Exp<std::int64_t> n) {
    return backpermute(size(a), [=](const auto& i) { return i + n; }, a);
  };
  sweep(GetParam(), program("reads n further", f),
        {.numbers = {0, 1, -1, 70000}, .checks = Checks::bounds});
}

}  // namespace
}  // namespace hasten::conformance
