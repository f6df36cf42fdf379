// Properties of the elementwise operations.
#include "tests/conformance/tool/types.hpp"

namespace hasten::conformance {
namespace {

class Elementwise : public OnTarget {};
HASTEN_CONFORMANCE_SUITE(Elementwise);

TEST_P(Elementwise, Map) {
  for_kinds<0>([&]<class K>(K, const std::string& name) {
    sweep(GetParam(), program("map" + name, [](typename K::Acc a) { return map(twisted, a); }));
  });
}

TEST_P(Elementwise, MapToOtherTypes) {
  for_kinds<0>([&]<class K>(K, const std::string& name) {
    using T = typename K::Element;
    const auto f = [](typename K::Acc a) {
      return map([](const Exp<T>& x) { return std::tuple{x, as_number(x), x == Exp<T>{}}; }, a);
    };
    sweep(GetParam(), program("map to a tuple" + name, f));
  });
}

TEST_P(Elementwise, ChainsOfMaps) {
  for_types(FewTypes{}, [&]<class T>(std::type_identity<T>) {
    sweep_with_neighbours<T, 1>(GetParam(), "map", [](auto a) { return map(twisted, a); },
                                {.large = true});
    sweep_with_neighbours<T, 2>(GetParam(), "map", [](auto a) { return map(twisted, a); },
                                {.large = true});
  });
}

TEST_P(Elementwise, ZipWith) {
  for_kinds<0>([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    sweep(GetParam(), program("zip_with" + name, [](A a, A b) { return zip_with(joined, a, b); }));
    sweep(GetParam(), program("zip_with of a mapped one" + name,
                              [](A a, A b) { return zip_with(joined, map(twisted, a), b); }));
  });
}

TEST_P(Elementwise, ZipWithManyArrays) {
  using A = Acc<Vector<std::int32_t>>;
  using B = Acc<Vector<float>>;
  const auto f = [](A a, B b, A c, B d, A e) {
    return zip_with([](auto p, auto q, auto r, auto s,
                       auto t) { return std::tuple{p - r * t, select(p < r, q, s)}; },
                    a, b, c, d, e);
  };
  sweep(GetParam(), program("zip_with of five", f), {.large = true});
  const auto nine = [](A a, A b) {
    return zip_with([](auto p, auto q, auto r, auto s, auto t, auto u, auto v, auto w,
                       auto x) { return p - (q * (r - (s * (t - (u * (v - (w * x))))))); },
                    a, b, b, a, map(twisted, a), b, a, b, b);
  };
  sweep(GetParam(), program("zip_with of nine", nine));
}

TEST_P(Elementwise, WithIndices) {
  for_few_kinds([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    using T = typename K::Element;
    const auto number = [](const auto& ix) {
      if constexpr (K::rank == 1) {
        return Exp<std::int64_t>(ix);
      } else {
        return ix[0] * 1000 + ix[K::rank - 1];
      }
    };
    const auto with_index = [&](const auto& ix, const Exp<T>& x) {
      return std::tuple{number(ix), x};
    };
    sweep(GetParam(), program("imap" + name, [&](A a) { return imap(with_index, a); }));
    sweep(GetParam(), program("izip_with" + name, [&](A a, A b) {
            return izip_with([&](const auto& ix, const Exp<T>& x,
                                 const Exp<T>& y) { return std::tuple{number(ix), join(x, y)}; },
                             a, b);
          }));
    sweep(GetParam(), program("indexed" + name, [](A a) { return indexed(a); }));
  });
}

TEST_P(Elementwise, ZipAndUnzip) {
  for_few_kinds([&]<class K>(K, const std::string& name) {
    using A = typename K::Acc;
    sweep(GetParam(), program("zip" + name, [](A a, A b) { return zip(a, map(twisted, b), a); }));
    if constexpr (detail::CompoundElement<typename K::Element>) {
      sweep(GetParam(), program("unzip" + name, [](A a) { return unzip(map(twisted, a)); }));
    }
  });
}

TEST_P(Elementwise, OnlySomeComponentsAreRead) {
  const auto f = [](Acc<Matrix<Particle>> a) {
    return map([](const Exp<Particle>& p) { return select(p.alive, p.mass, 0.0); }, a);
  };
  sweep(GetParam(), program("two members of a struct", f));
}

TEST_P(Elementwise, OperatorsOnArrays) {
  for_types(List<std::int8_t, std::uint32_t, double>{}, [&]<class T>(std::type_identity<T>) {
    using A = Acc<Vector<T>>;
    const std::string name = " of " + type_name<T>();
    sweep(GetParam(), program("operators" + name, [](A a, A b) {
            return std::tuple{(a + b) * (a - T(3)), T(5) / b, -a, a < b, (a == b) | (a >= T(2))};
          }));
    sweep(GetParam(),
          program("select of arrays" + name, [](A a, A b) { return select(a < b, a, b * T(2)); }));
  });
}

}  // namespace
}  // namespace hasten::conformance
