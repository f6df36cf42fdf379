// Properties of permutations, scatter, gather and histograms: collisions, targets out of range,
// different ranks.
#include "tests/conformance/tool/operators.hpp"

namespace hasten::conformance {
namespace {

class Permutations : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(Permutations);

using Position = Exp<std::int64_t>;
const std::vector<std::int64_t> amounts = {-17, 0, 1, 2, 3, 16, 64, 1009};

/// Combines in the order of the source, so that non-commutative operators can be compared, too.
template <class T, class F>
void sweep_permute(const Options& target, const std::string& name, F combine) {
  using A = Acc<Vector<T>>;
  const std::string of = " by " + name + " of " + type_name<T>();
  const Sweep how{.data = Data::tame, .large = true, .numbers = {1, 2, 7, 64, 1009}};
  sweep(target,
        program("permute" + of,
                [=](A defaults, A source, Position n) {
                  return permute(
                      combine, defaults, [=](const Position& i) { return i * 7 % n; }, source);
                }),
        how);
  sweep(target,
        program("permute out of range" + of,
                [=](A defaults, A source, Position n) {
                  return permute(
                      combine, defaults, [=](const Position& i) { return i / 2 - n; }, source);
                }),
        how);
}

TEST_P(Permutations, Combine) {
  sweep_permute<Affine<std::uint32_t>>(GetParam(), "compose", compose);
  sweep_permute<Square<std::int32_t>>(GetParam(), "multiply", multiply);
  sweep_permute<Particle>(GetParam(), "heavier", heavier);
  for_types(List<std::int8_t, std::int32_t, std::uint64_t, float, double>{},
            [&]<class T>(std::type_identity<T>) {
              sweep_permute<T>(GetParam(), "+", std::plus<>{});
              sweep_permute<T>(GetParam(), "max",
                               [](const auto& x, const auto& y) { return max(x, y); });
            });
  sweep_permute<bool>(GetParam(), "!=", [](const auto& x, const auto& y) { return x != y; });
}

TEST_P(Permutations, UniqueAndTransposed) {
  for_few_kinds([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    const auto backwards = [](A a) {
      const auto target = [=](const auto& at) {
        if constexpr (K::rank == 1) {
          return size(a) - 1 - at;
        } else {
          return from_index(shape(a), size(a) - 1 - to_index(shape(a), at));
        }
      };
      return permute_unique(map(twisted, a), target, a);
    };
    sweep(GetParam(), program("permute_unique backwards" + name, backwards));
  });
  const auto turned = [](Acc<Matrix<Particle>> a) {
    const auto defaults = map(twisted, transpose(a));
    return permute_unique(defaults, [](const auto& at) { return ix(at[1], at[0] + 1); }, a);
  };
  sweep(GetParam(), program("permute_unique to the transposed place", turned), {.large = true});
}

TEST_P(Permutations, OfIndexAndElement) {
  using A = Acc<Matrix<std::int32_t>>;
  const auto f = [](Acc<Vector<std::int32_t>> defaults, A source) {
    const auto target = [=](const Exp<Ix<2>>& at, const Exp<std::int32_t>& x) {
      return at[0] + cast<std::int64_t>(x % 50);
    };
    // Associative, and depends on the order: the last number that is not divisible by 3.
    const auto last = [](const auto& later, const auto& before) {
      return select(later % 3 == 0, before, later);
    };
    return permute(last, defaults, target, map(twisted, source));
  };
  sweep(GetParam(), program("permute of a matrix into a vector", f), {.large = true});
}

TEST_P(Permutations, Scatter) {
  for_types(FewTypes{}, [&]<class T>(std::type_identity<T>) {
    using V = Acc<Vector<T>>;
    using I = Acc<Vector<std::int8_t>>;
    const std::string of = " of " + type_name<T>();
    sweep(GetParam(),
          program("scatter" + of, [](I targets, V defaults,
                                     V values) { return scatter(targets, defaults, values); }),
          {.large = true});
    const auto some = [](I targets, I mask, V defaults, V values) {
      return scatter_if(targets, mask, [](const auto& x) { return x > 0; }, defaults, values);
    };
    sweep(GetParam(), program("scatter_if" + of, some));
  });
}

TEST_P(Permutations, Gather) {
  for_types(FewTypes{}, [&]<class T>(std::type_identity<T>) {
    using V = Acc<Vector<T>>;
    using M = Acc<Matrix<T>>;
    using I = Acc<Matrix<std::uint16_t>>;
    const std::string of = " of " + type_name<T>();
    const auto some = [](I indices, I mask, M defaults, V a) {
      const auto within =
          zip_with([=](const auto& i,
                       const auto& m) { return select(m % 2 == 0, cast<std::int64_t>(i), -1); },
                   indices, mask);
      const auto fits = [=](const auto& i) { return i >= 0 && i < size(a); };
      return gather_if(within, within, fits, defaults, a);
    };
    sweep(GetParam(), program("gather_if" + of, some), {.checks = Checks::bounds});
    const auto all = [](I indices, V a) {
      return gather(
          map([=](const auto& i) { return cast<std::int64_t>(i) % max(size(a), 1); }, indices), a);
    };
    sweep(GetParam(), program("gather" + of, all), {.checks = Checks::bounds});
  });
}

TEST_P(Permutations, Histograms) {
  for_types(List<std::int8_t, std::int32_t, std::uint64_t>{}, [&]<class T>(std::type_identity<T>) {
    const std::string of = " of " + type_name<T>();
    const auto counts = [](Acc<Matrix<T>> a, Position n) {
      return histogram(n, [](const Exp<T>& x) { return x / T(2); }, a);
    };
    sweep(GetParam(), program("histogram" + of, counts), {.large = true, .numbers = amounts});
  });
  const auto weights = [](Acc<Vector<float>> a, Position n) {
    return histogram(
        n, [](const auto& x) { return cast<std::int32_t>(x); },
        [](const auto& x) { return cast<double>(x) + 1.0; }, a);
  };
  sweep(GetParam(), program("weighted histogram", weights),
        {.data = Data::tame, .large = true, .numbers = amounts});
}

TEST_P(Permutations, WithNeighbours) {
  const auto spread = [](auto a) {
    return permute_unique(map(twisted, a), [](const auto& i) { return i * 3; }, a);
  };
  sweep_with_neighbours<std::int32_t, 1>(GetParam(), "permute_unique", spread, {.large = true});
}

}  // namespace
}  // namespace hasten::conformance
