// Push arrays on all awkward shapes: loops over several index spaces, several writes, borders.
#include <hasten/hasten.hpp>

#include "tests/conformance/tool/types.hpp"

namespace hasten::conformance {
namespace {

class PushArrays : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(PushArrays);

/// A loop over each part, the last one backwards.
template <int D>
auto parts(const auto& a) {
  const auto p = pull(a);
  return concat_on<D>(push(a), map(twisted, p), reverse_on<D>(push(p)));
}

/// Each element beside another value computed from it: one loop of two writes.
template <class T>
auto doubled(const Acc<Vector<T>>& a) {
  const auto p = pull(a);
  return push_many<2>(size(a), 2 * size(a), [p](const auto& i) {
    const auto x = p(i);
    return std::tuple{std::pair{2 * i, x}, std::pair{2 * i + 1, twist(x)}};
  });
}

template <class T, std::size_t N, class B>
auto shifted(const B& boundary, const Pull<T, N>& p) {
  return stencil(
      [](const auto& at) {
        return detail::with_indices<N>([&](auto... k) {
          const auto last = [&](int offset) { return at((k + 1 == N ? offset : 0)...); };
          return join(join(twist(last(0)), last(-2)), last(1));
        });
      },
      boundary, p);
}

TEST_P(PushArrays, PartsOnEveryAxis) {
  for_few_kinds([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    sweep(GetParam(), program("parts" + name, [](A a) { return force(parts<K::rank - 1>(a)); }),
          {.large = true});
    if constexpr (K::rank > 1)
      sweep(GetParam(), program("parts of rows" + name, [](A a) { return force(parts<0>(a)); }));
    sweep(GetParam(), program("interleaved" + name, [](A a) {
            const auto p = pull(a);
            return force(interleave(p, map(twisted, push(p))));
          }));
  });
}

// Extents that must agree sometimes do; every failure has a single place.
TEST_P(PushArrays, LoopsOverSeveralSpaces) {
  for_types(List<std::int8_t, std::int32_t, std::uint64_t, half, float, double, Particle>{},
            [&]<class T>(std::type_identity<T>) {
              using A = Acc<Vector<T>>;
              const std::string name = " of " + type_name<T>();
              sweep(
                  GetParam(),
                  program("loops" + name,
                          [](A a, A b) {
                            const auto p = pull(b);
                            return force(concat(push(a), doubled(b), reverse(push(map(twisted, p))),
                                                shifted(boundary::clamp, p)));
                          }),
                  {.large = true});
              sweep(GetParam(), program("pairs" + name, [](A a) { return force(doubled(a)); }),
                    {.large = true});
            });
  using M = Acc<Matrix<std::int32_t>>;
  sweep(GetParam(), program("rows of two arrays", [](M a, M b) {
          return force(concat_on<0>(push(a), map(twisted, push(b))));
        }));
}

TEST_P(PushArrays, StencilsAmongLoops) {
  for_few_kinds([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    sweep(GetParam(), program("joined stencils" + name, [](A a) {
            const auto p = pull(a);
            return force(concat(shifted(boundary::clamp, p), shifted(boundary::wrap, p), p));
          }));
    sweep(GetParam(), program("interleaved stencils" + name, [](A a) {
            const auto p = pull(a);
            return force(interleave(shifted(boundary::mirror, p), shifted(boundary::clamp, p)));
          }));
  });
}

// Values that elements share are kept in a window of rows where that pays.
template <class T>
void sweep_stencils_of_stencils(const Options& target) {
  using M = Acc<Matrix<T>>;
  const auto sum = [](const auto& at) {
    return join(join(join(at(-2), at(-1)), twist(at(0))), join(at(1), at(2)));
  };
  const auto of = [=](auto axis) {
    return [=](M a) {
      const auto p = pull(a);
      const auto last = shape(a)[axis] - 1;
      const auto inner = pull(shape(a), [=](const auto& i, const auto& j) {
        return sum([&](int k) {
          if constexpr (axis == 0) {
            return p(clamp(i + k, 0, last), j);
          } else {
            return p(i, clamp(j + k, 0, last));
          }
        });
      });
      return force(stencil(
          [=](const auto& at) {
            return sum([&](int k) { return axis == 0 ? at(0, k) : at(k, 0); });
          },
          boundary::clamp, inner));
    };
  };
  const std::string name = " of " + type_name<T>();
  sweep(target, program("rows of columns" + name, of(std::integral_constant<int, 0>{})),
        {.large = true});
  sweep(target, program("columns of rows" + name, of(std::integral_constant<int, 1>{})),
        {.large = true});
}

TEST_P(PushArrays, StencilsOfStencils) {
  for_types(List<std::int8_t, std::int32_t, std::uint64_t, half, float, double>{},
            [&]<class T>(std::type_identity<T>) { sweep_stencils_of_stencils<T>(GetParam()); });
}

TEST_P(PushArrays, EachIndexIsWrittenOnce) {
  using A = Acc<Vector<std::int32_t>>;
  sweep(GetParam(),
        program("written twice",
                [](A a) {
                  const auto p = pull(a);
                  return force(push_many<1>(
                      size(a), size(a), [p](const auto& i) { return std::pair{i / 2 * 2, p(i)}; }));
                }),
        {.checks = Checks::bounds});
}

}  // namespace
}  // namespace hasten::conformance
