// The element types under test, and functions that all of them have.
#pragma once

#include "tests/conformance/tool/harness.hpp"

#include <tuple>

namespace hasten::conformance {

struct Particle {
  float x;
  std::int16_t charge;
  double mass;
  bool alive;
};
HASTEN_STRUCT(Particle, x, charge, mass, alive);

using detail::List;

using Mixed = std::tuple<std::int32_t, std::pair<float, std::uint8_t>>;
using Integers = List<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                      std::uint16_t, std::uint32_t, std::uint64_t>;
using Floats = List<float, double>;
using Numbers = List<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                     std::uint16_t, std::uint32_t, std::uint64_t, float, double>;
using AllTypes = List<bool, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                      std::uint16_t, std::uint32_t, std::uint64_t, float, double, Mixed, Particle>;
/// For properties that hardly depend on the type.
using FewTypes = List<std::int32_t, Particle>;

template <class T>
std::string type_name() {
  return detail::element_type<T>()->name;
}

/// f(type_identity<T>) for every type of a list.
template <class... Ts, class F>
void for_types(List<Ts...>, F f) {
  (f(std::type_identity<Ts>{}), ...);
}

template <class T, std::size_t N>
struct Kind {
  using Element = T;
  static constexpr std::size_t rank = N;
  using Acc = hasten::Acc<Array<T, N>>;
};

/// f(Kind<T, N>, name) for types of every width and kind at rank 1, and for some of them at the
/// other ranks from `Least` on. (Each kind costs compile time; operations that distinguish more
/// types sweep over AllTypes themselves.)
template <std::size_t Least, class F>
void for_kinds(F f) {
  const auto call = [&]<class T, std::size_t N>(Kind<T, N> kind) {
    if constexpr (N >= Least) f(kind, " of " + type_name<T>() + " rank " + std::to_string(N));
  };
  for_types(List<bool, std::int8_t, std::uint16_t, std::int32_t, std::uint64_t, float, double,
                 Mixed, Particle>{},
            [&]<class T>(std::type_identity<T>) { call(Kind<T, 1>{}); });
  call(Kind<Particle, 0>{});
  call(Kind<std::int32_t, 2>{});
  call(Kind<Particle, 2>{});
  call(Kind<Particle, 3>{});
  call(Kind<std::int32_t, 4>{});
}

/// The same for a few kinds: for operations built on others that sweep over more.
template <class F>
void for_few_kinds(F f) {
  f(Kind<std::int32_t, 1>{}, " of i32 rank 1");
  f(Kind<Mixed, 1>{}, " of " + type_name<Mixed>() + " rank 1");
  f(Kind<double, 2>{}, " of f64 rank 2");
  f(Kind<Particle, 3>{}, " of " + type_name<Particle>() + " rank 3");
}

/// Another value of the type, without loss of information for integers.
template <class T>
Exp<T> twist(const Exp<T>& x) {
  if constexpr (std::is_same_v<T, bool>) {
    return !x;
  } else if constexpr (detail::is_integral_leaf<T>) {
    return x * T(3) + T(1);
  } else if constexpr (detail::Leaf<T>) {
    return T(1) - x;
  } else {
    return detail::with_indices<detail::member_count<T>>(
        [&](auto... i) { return Exp<T>(twist(get<i>(x))...); });
  }
}

/// Combines two values, using every part of both.
template <class T>
Exp<T> join(const Exp<T>& x, const Exp<T>& y) {
  if constexpr (std::is_same_v<T, bool>) {
    return x != y;
  } else if constexpr (detail::Leaf<T>) {
    return x - y;
  } else {
    return detail::with_indices<detail::member_count<T>>(
        [&](auto... i) { return Exp<T>(join(get<i>(x), get<i>(y))...); });
  }
}

/// The value as a number, for functions that need one.
template <class T>
Exp<std::int64_t> as_number(const Exp<T>& x) {
  if constexpr (detail::Leaf<T>) {
    return cast<std::int64_t>(x);
  } else {
    return as_number(get<0>(x));
  }
}

inline constexpr auto twisted = [](const auto& x) { return twist(x); };
inline constexpr auto joined = [](const auto& x, const auto& y) { return join(x, y); };

/// The program itself; the program with its input and its result computed by neighbours that may be
/// fused with it; and with an input that may not be.
template <class T, std::size_t N, class F>
void sweep_with_neighbours(const Options& target, const std::string& name, F f,
                           const Sweep& how = {}) {
  using A = Acc<Array<T, N>>;
  sweep(target, program(name, [&](A a) { return f(a); }), how);
  sweep(target, program(name + ", before it a map", [&](A a) { return f(map(twisted, a)); }), how);
  sweep(target,
        program(name + ", before it a computed map",
                [&](A a) { return f(compute(map(twisted, a))); }),
        how);
  sweep(target, program(name + ", behind it a map", [&](A a) { return map(twisted, f(a)); }), how);
}

}  // namespace hasten::conformance
