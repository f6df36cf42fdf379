// Elementwise operations: map, zip_with and their derivatives.
#pragma once

#include <hasten/detail/lift_arrays.hpp>
#include <hasten/detail/terms/array.hpp>

namespace hasten::detail {

/// The default for an array argument that was not passed. It lets one function take 2 to 9 arrays
/// and still have the source location as its last parameter.
struct NotGiven {};
template <class... As>
inline constexpr std::size_t given = (0 + ... + (std::is_same_v<As, NotGiven> ? 0 : 1));

template <class A>
constexpr auto check_array() {
  static_assert(is_acc<A>,
                "hasten: this operation works on array computations, Acc<...>: bring a host array "
                "in with use(array); a scalar is captured by the function, not passed");
}

/// Passes the arrays that were given to `then`.
template <class Then, class... As>
auto with_given(Then then, const As&... arrays) {
  const std::tuple<const As&...> all(arrays...);
  return with_indices<given<As...>>([&](auto... i) {
    (check_array<At<i, List<As...>>>(), ...);
    return then(std::get<i>(all)...);
  });
}

/// Whether F is std::plus<> or the like and the elements are of types that its operator does not
/// mix.
template <class F, class... Ts>
inline constexpr bool mixes = false;
template <template <class> class Op, class A, class B>
  requires Mixed<A, B> && requires { typename Op<void>::is_transparent; }
inline constexpr bool mixes<Op<void>, A, B> = true;

/// Checks that a function takes one element of each given array; see check_function.
template <class F, class... As>
constexpr auto check_function_of_all() {
  static_assert(!is_acc<F>, "hasten: functions come first, arrays last: zip_with(f, a, b)");
  struct Finds {
    bool mixed = false, called = true, one_rank = true;
  };
  constexpr Finds finds = []<std::size_t... I>(std::index_sequence<I...>) {
    using All = List<As...>;
    if constexpr (!(is_acc<At<I, All>> && ...)) {
      return Finds{};  // check_array reports it
    } else if constexpr (mixes<F, ElementOf<At<I, All>>...>) {
      return Finds{.mixed = true};
    } else {
      return Finds{.called = Takes<F, Exp<ElementOf<At<I, All>>>...>,
                   .one_rank = one_rank<At<I, All>...>()};
    }
  }(std::make_index_sequence<given<As...>>{});
  static_assert(!finds.mixed,
                "hasten: elements of different types never mix silently: cast<T>(a) one array");
  static_assert(finds.called,
                "hasten: this function cannot be called with the arguments it gets here, one per "
                "array: check the number and types of its parameters");
  static_assert(finds.one_rank,
                "hasten: arrays of different ranks never broadcast: replicate the one of lower "
                "rank");
}

template <std::size_t N>
auto indices_of(const Term& array, const Where& where) {
  return acc_of<IndexElement<N>, N>(index_of_each(array, where));
}

}  // namespace hasten::detail

namespace hasten {

/// f of each element.
template <class F, class T, std::size_t N>
auto map(F f, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  detail::check_function<F, Exp<T>>();
  auto traced = detail::trace_element<T>("map", where, f);
  using R = typename decltype(traced)::Result;
  return detail::acc_of<R, N>(detail::map(std::move(traced.fn), detail::element_type<R>(),
                                          detail::term_of(a), "map", where));
}

/// f of corresponding elements of 2 to 9 arrays of one rank; extents intersect.
template <class F, class A, class B, class C = detail::NotGiven, class D = detail::NotGiven,
          class E = detail::NotGiven, class G = detail::NotGiven, class H = detail::NotGiven,
          class I = detail::NotGiven, class J = detail::NotGiven>
auto zip_with(F f, const A& a, const B& b, const C& c = {}, const D& d = {}, const E& e = {},
              const G& g = {}, const H& h = {}, const I& i = {}, const J& j = {},
              detail::Where where = detail::Where::current()) {
  detail::check_function_of_all<F, A, B, C, D, E, G, H, I, J>();
  return detail::with_given(
      [&](const auto&... arrays) {
        return detail::elementwise("zip_with", where, std::move(f), arrays...);
      },
      a, b, c, d, e, g, h, i, j);
}

/// f(ix, x) of each index and element.
template <class F, class T, std::size_t N>
auto imap(F f, const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  return detail::elementwise("imap", where, std::move(f),
                             detail::indices_of<N>(detail::term_of(a), where), a);
}

/// f(ix, x, y, ...) of each index and the elements of 2 to 9 arrays of one rank; extents intersect.
template <class F, class T, std::size_t N, class B, class C = detail::NotGiven,
          class D = detail::NotGiven, class E = detail::NotGiven, class G = detail::NotGiven,
          class H = detail::NotGiven, class I = detail::NotGiven, class J = detail::NotGiven>
auto izip_with(F f, const Acc<Array<T, N>>& a, const B& b, const C& c = {}, const D& d = {},
               const E& e = {}, const G& g = {}, const H& h = {}, const I& i = {}, const J& j = {},
               detail::Where where = detail::Where::current()) {
  return detail::with_given(
      [&](const auto&... arrays) {
        return detail::elementwise("izip_with", where, std::move(f),
                                   detail::indices_of<N>(detail::term_of(a), where), arrays...);
      },
      a, b, c, d, e, g, h, i, j);
}

/// Each element with its index, as tuples of Ix<N> and element.
template <class T, std::size_t N>
auto indexed(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  const auto pair = [](const auto& ix, const Exp<T>& x) {
    return Exp<std::tuple<Ix<N>, T>>(Exp<Ix<N>>(ix), x);
  };
  return detail::elementwise("indexed", where, pair,
                             detail::indices_of<N>(detail::term_of(a), where), a);
}

/// Tuples of corresponding elements of 2 to 9 arrays of one rank; extents intersect.
template <class A, class B, class C = detail::NotGiven, class D = detail::NotGiven,
          class E = detail::NotGiven, class G = detail::NotGiven, class H = detail::NotGiven,
          class I = detail::NotGiven, class J = detail::NotGiven>
auto zip(const A& a, const B& b, const C& c = {}, const D& d = {}, const E& e = {}, const G& g = {},
         const H& h = {}, const I& i = {}, const J& j = {},
         detail::Where where = detail::Where::current()) {
  const auto tuple = []<class... Ts>(const Exp<Ts>&... xs) {
    return Exp<std::tuple<Ts...>>(xs...);
  };
  return detail::with_given(
      [&](const auto&... arrays) { return detail::elementwise("zip", where, tuple, arrays...); }, a,
      b, c, d, e, g, h, i, j);
}

/// One array per member of the elements, in a std::tuple; for pairs and std::arrays, in a std::pair
/// or std::array.
template <class T, std::size_t N>
auto unzip(const Acc<Array<T, N>>& a, detail::Where where = detail::Where::current()) {
  static_assert(detail::CompoundElement<T>,
                "hasten::unzip: needs an array of groups: tuples, pairs, std::arrays, structs");
  return detail::with_indices<detail::member_count<T>>([&](auto... i) {
    using Group = std::conditional_t<detail::StdGroup<T>, T, std::tuple<>>;
    using Arrays = typename detail::StdGroupOf<Group>::template With<
        Acc<Array<detail::At<i, detail::Members<T>>, N>>...>;
    return Arrays{
        detail::elementwise("unzip", where, [i](const Exp<T>& x) { return get<i>(x); }, a)...};
  });
}

}  // namespace hasten
