// Properties of stencils: every boundary at every rank, on arrays smaller and larger than the
// neighbourhood.
#include "tests/conformance/tool/types.hpp"

namespace hasten::conformance {
namespace {

class Stencils : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(Stencils);

/// Near and distant neighbours, combined so that each one's place matters.
template <std::size_t N>
auto cross(const auto& at) {
  const auto along = [&](auto axis, int offset) {
    return detail::with_indices<N>([&](auto... k) { return at((k == axis ? offset : 0)...); });
  };
  auto result = twist(along(std::integral_constant<std::size_t, 0>{}, 0));
  detail::with_indices<N>([&](auto... axis) {
    ((result = twist(join(join(result, along(axis, -2)), along(axis, 1)))), ...);
    return 0;
  });
  return join(result, detail::with_indices<N>([&](auto... k) { return at((k == 0 ? 5 : -3)...); }));
}

/// A value of any type, computed from the index.
template <class T, std::size_t N>
Exp<T> of_index(const Exp<detail::IndexElement<N>>& at) {
  if constexpr (detail::Leaf<T> && !std::is_same_v<T, bool>) {
    if constexpr (N == 1) {
      return cast<T>(at);
    } else {
      return cast<T>(at[0] * 3 + at[N - 1]);
    }
  } else {
    return Exp<T>();
  }
}

template <class T, std::size_t N, class B>
void sweep_stencil(const Options& target, const std::string& name, const B& boundary,
                   const Sweep& how = {}) {
  using A = Acc<Array<T, N>>;
  sweep(target,
        program(
            "stencil, " + name + " of " + type_name<T>() + " rank " + std::to_string(N),
            [&](A a) { return stencil([](const auto& at) { return cross<N>(at); }, boundary, a); }),
        how);
}

template <class T, std::size_t N>
void sweep_boundaries(const Options& target, const Sweep& how = {}) {
  sweep_stencil<T, N>(target, "clamp", boundary::clamp, how);
  sweep_stencil<T, N>(target, "mirror", boundary::mirror, how);
  sweep_stencil<T, N>(target, "wrap", boundary::wrap, how);
  sweep_stencil<T, N>(target, "outside", boundary::outside(Exp<T>()), how);
  const auto f = [](const Exp<detail::IndexElement<N>>& at) { return of_index<T, N>(at); };
  sweep_stencil<T, N>(target, "function", boundary::function(f), how);
}

TEST_P(Stencils, Lines) {
  sweep_boundaries<std::int32_t, 1>(GetParam(), {.large = true});
  sweep_boundaries<double, 1>(GetParam(), {.data = Data::tame});
  sweep_boundaries<std::uint8_t, 1>(GetParam());
  sweep_boundaries<Particle, 1>(GetParam(), {.data = Data::tame});
}
TEST_P(Stencils, Planes) {
  sweep_boundaries<std::int32_t, 2>(GetParam(), {.large = true});
  sweep_boundaries<float, 2>(GetParam(), {.data = Data::tame});
  sweep_boundaries<Mixed, 2>(GetParam(), {.data = Data::tame});
}
TEST_P(Stencils, Spaces) {
  sweep_boundaries<std::int16_t, 3>(GetParam());
  sweep_boundaries<std::int64_t, 4>(GetParam());
}

TEST_P(Stencils, ReadNothingOutOfRange) {
  sweep_boundaries<std::int32_t, 2>(GetParam(), {.checks = Checks::bounds | Checks::arithmetic});
}

TEST_P(Stencils, WithNeighbours) {
  const auto sum3 = [](auto a) {
    return stencil([](const auto& at) { return join(at(-1), join(at(0), at(1))); },
                   boundary::mirror, a);
  };
  sweep_with_neighbours<std::int32_t, 1>(GetParam(), "stencil", sum3, {.large = true});
  const auto twice = [=](auto a) { return sum3(sum3(a)); };
  sweep_with_neighbours<std::int32_t, 1>(GetParam(), "stencil of a stencil", twice);
}

TEST_P(Stencils, OfTwoArrays) {
  using A = Acc<Matrix<std::int32_t>>;
  using B = Acc<Matrix<float>>;
  const auto f = [](const auto& at, const auto& bt) {
    return join(join(at(-1, 2), at(0, 0)), cast<std::int32_t>(bt(1, 0)) * 3);
  };
  sweep(GetParam(), program("stencil2, clamp and wrap", [=](A a, B b) {
          return stencil2(f, boundary::clamp, a, boundary::wrap, b);
        }));
  sweep(GetParam(), program("stencil2, outside and mirror", [=](A a, B b) {
          return stencil2(f, boundary::outside(7), a, boundary::mirror, b);
        }));
}

}  // namespace
}  // namespace hasten::conformance
