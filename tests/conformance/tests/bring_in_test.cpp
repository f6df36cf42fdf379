// Properties of the operations that bring arrays into programs.
#include "tests/conformance/tool/types.hpp"

namespace hasten::conformance {
namespace {

class BringIn : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(BringIn);

const std::vector<std::int64_t> counts = {-3, 0, 1, 2, 16, 17, 63, 64, 65, 1009};
const std::vector<std::int64_t> few_counts = {-1, 0, 1, 2, 5, 7};

/// Exp<int64_t>s as a shape of rank N.
template <std::size_t N>
auto shape_of(const Exp<std::int64_t>& n) {
  if constexpr (N == 1) {
    return n;
  } else {
    return detail::with_indices<N>(
        [&](auto... i) { return Exp<Ix<N>>((n + std::int64_t{i.value % 2})...); });
  }
}

TEST_P(BringIn, Inputs) {
  for_kinds<0>([&]<class K>(K, const std::string& name) {
    sweep(GetParam(), program("the input itself" + name, [](typename K::Acc a) { return a; }));
  });
}

TEST_P(BringIn, Use) {
  for_kinds<0>([&]<class K>(K, const std::string& name) {
    using T = typename K::Element;
    const Shape shape = shapes_of_rank(K::rank).back();
    const auto host = random_array(detail::element_type<T>()->leaves, shape, 1);
    const auto array = detail::Access::array<Array<T, K::rank>>(host);
    sweep(GetParam(), program("use" + name, [&] { return use(array); }));
    sweep(GetParam(), program("map of use" + name, [&] { return map(twisted, use(array)); }));
  });
}

TEST_P(BringIn, Unit) {
  for_types(AllTypes{}, [&]<class T>(std::type_identity<T>) {
    sweep(GetParam(), program("unit of " + type_name<T>(), [](Acc<Vector<T>> a) {
            return unit(select(size(a) > 0, twist(a[0]), Exp<T>{}));
          }));
  });
  sweep(GetParam(), program("unit of a parameter", [](Exp<std::int32_t> x) { return unit(x * 3); }),
        {.numbers = {-1, 0, 1, 7}});
}

TEST_P(BringIn, Fill) {
  for_types(AllTypes{}, [&]<class T>(std::type_identity<T>) {
    const auto one = [](Acc<Scalar<T>> x, Exp<std::int64_t> n) { return fill(n, the(x)); };
    sweep(GetParam(), program("fill with " + type_name<T>(), one), {.numbers = counts});
  });
  sweep(GetParam(), program("fill rank 0", [] { return fill(Ix<0>{}, 1.5F); }));
  sweep(GetParam(),
        program("fill rank 3", [](Exp<std::int64_t> n) { return fill(shape_of<3>(n), true); }),
        {.numbers = few_counts});
}

template <std::size_t N>
void sweep_generate(const Options& target) {
  const auto of_index = [](Exp<std::int64_t> n) {
    return generate(shape_of<N>(n), [n](const auto& ix) {
      if constexpr (N == 1) {
        return std::tuple{cast<float>(ix) * 0.5F, ix * n};
      } else {
        Exp<std::int64_t> sum = n;
        for (std::size_t k = 0; k < N; ++k) sum = sum * 10 + ix[k];
        return std::tuple{cast<float>(sum) * 0.5F, sum};
      }
    });
  };
  sweep(target, program("generate rank " + std::to_string(N), of_index),
        {.numbers = N == 1 ? counts : few_counts});
}

TEST_P(BringIn, Generate) {
  sweep_generate<1>(GetParam());
  sweep_generate<2>(GetParam());
  sweep_generate<3>(GetParam());
  sweep_generate<4>(GetParam());
  sweep(GetParam(), program("generate rank 0",
                            [] { return generate(Ix<0>{}, [](const auto&) { return 2.5; }); }));
}

TEST_P(BringIn, GenerateOfReads) {
  for_types(AllTypes{}, [&]<class T>(std::type_identity<T>) {
    sweep(GetParam(), program("generate reading " + type_name<T>(), [](Acc<Vector<T>> a) {
            const auto n = size(a);
            return generate(n * 2, [=](const auto& i) { return a[(i * 7 + 3) % n]; });
          }));
  });
}

TEST_P(BringIn, Counting) {
  for_types(Numbers{}, [&]<class T>(std::type_identity<T>) {
    const std::string name = " of " + type_name<T>();
    sweep(GetParam(), program("iota" + name, [](Exp<std::int64_t> n) { return iota<T>(n); }),
          {.numbers = counts});
    const auto from = [](Acc<Scalar<T>> x, Exp<std::int64_t> n) {
      return enum_from_n(shape_of<2>(n), the(x));
    };
    sweep(GetParam(), program("enum_from_n" + name, from), {.data = Data::tame, .numbers = counts});
    const auto step = [](Acc<Scalar<T>> x, Acc<Scalar<T>> y, Exp<std::int64_t> n) {
      return enum_from_step_n(n, the(x), the(y));
    };
    sweep(GetParam(), program("enum_from_step_n" + name, step), {.numbers = counts});
  });
}

}  // namespace
}  // namespace hasten::conformance
