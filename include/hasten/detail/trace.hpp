// Calls of a user's function, once, with terms as its parameters.
#pragma once

#include <hasten/detail/lift.hpp>
#include <hasten/run/error.hpp>

namespace hasten::detail {

/// Types that a function may take apart: std groups, Exps of groups, structs of HASTEN_GROUP.
template <class G>
concept RegisteredGroup = std::is_class_v<G> && requires(G* g) { hasten_describe_group(g); };
template <class G>
using GroupDescriptor = decltype(hasten_describe_group(static_cast<G*>(nullptr)));

template <class V>
inline constexpr std::size_t parts_of = 0;
template <StdGroup V>
inline constexpr std::size_t parts_of<V> = member_count<V>;
template <CompoundElement T>
inline constexpr std::size_t parts_of<Exp<T>> = member_count<T>;
template <RegisteredGroup V>
inline constexpr std::size_t parts_of<V> =
    std::tuple_size_v<decltype(GroupDescriptor<V>::members())>;
template <class V>
inline constexpr bool has_parts = StdGroup<V> || RegisteredGroup<V>;
template <CompoundElement T>
inline constexpr bool has_parts<Exp<T>> = true;

template <std::size_t I, class V>
decltype(auto) part(const V& value) {
  if constexpr (RegisteredGroup<V>) {
    return (value.*std::get<I>(GroupDescriptor<V>::members()));
  } else if constexpr (StdGroup<V>) {
    return std::get<I>(value);
  } else {
    return hasten::get<I>(value);
  }
}

/// Whether a function can be called with these. (std::is_invocable would add its own templates to
/// the compiler's message, between an error in a function and the call that it is passed to.)
template <class F, class... Vs>
concept Takes = requires(F& f, const Vs&... values) { f(values...); };

template <class F, class V, class Is>
inline constexpr bool takes_parts = false;
template <class F, class V, std::size_t... I>
inline constexpr bool takes_parts<F, V, std::index_sequence<I...>> =
    Takes<F, std::remove_cvref_t<decltype(part<I>(std::declval<const V&>()))>...>;

/// The result of a call that cannot be made; it keeps the compiler from reporting more than that.
struct NotCallable {};

/// Calls f on one element or state: as one argument if that fits, else member by member.
template <class F, class V>
decltype(auto) call_with(F& f, const V& value) {
  if constexpr (Takes<F, V>) {
    return f(value);
  } else if constexpr (has_parts<V>) {
    constexpr bool fits = takes_parts<F, V, std::make_index_sequence<parts_of<V>>>;
    static_assert(fits,
                  "hasten: this function cannot be called with the group it gets here, neither "
                  "with one parameter nor with one parameter per member: check the number and "
                  "types of its parameters");
    if constexpr (fits) {
      return with_indices<parts_of<V>>([&](auto... i) { return f(part<i>(value)...); });
    } else {
      return NotCallable{};
    }
  } else {
    static_assert(always_false<F>,
                  "hasten: this function cannot be called with the one argument it gets here: "
                  "check the number and types of its parameters");
    return NotCallable{};
  }
}

template <class F, class V, class Is, class... Before>
inline constexpr bool takes_parts_behind = false;
template <class F, class V, std::size_t... I, class... Before>
inline constexpr bool takes_parts_behind<F, V, std::index_sequence<I...>, Before...> =
    std::is_invocable_v<F&, const Before&..., decltype(part<I>(std::declval<const V&>()))...>;
/// Whether f can be called with the `Before`s and a state, as one argument or member by member.
template <class F, class V, class... Before>
constexpr bool takes_behind() {
  if constexpr (std::is_invocable_v<F&, const Before&..., const V&>) {
    return true;
  } else if constexpr (has_parts<V>) {
    return takes_parts_behind<F, V, std::make_index_sequence<parts_of<V>>, Before...>;
  } else {
    return false;
  }
}

/// f(number of the round, state), with the state as one argument if that fits, else member by
/// member.
template <class F, class K, class V>
decltype(auto) call_with_number(F& f, const K& k, const V& state) {
  constexpr bool fits = takes_behind<F, V, K>();
  static_assert(
      fits,
      "hasten: this function cannot be called with the number of the round and the state, "
      "neither as one parameter nor with one parameter per member: check the number and "
      "types of its parameters");
  if constexpr (std::is_invocable_v<F&, const K&, const V&>) {
    return f(k, state);
  } else if constexpr (fits) {
    return with_indices<parts_of<V>>([&](auto... i) { return f(k, part<i>(state)...); });
  } else {
    return NotCallable{};
  }
}
/// Calls a loop's body: f(state) or, if that does not fit, f(number of the round, state).
template <class F, class K, class V>
decltype(auto) call_in_round(F& f, const K& k, const V& state) {
  // Nested, because the test whether a generic lambda fits instantiates it.
  if constexpr (takes_behind<F, V>()) {
    return call_with(f, state);
  } else if constexpr (takes_behind<F, V, K>()) {
    return call_with_number(f, k, state);
  } else {
    return call_with(f, state);
  }
}

/// Calls f on several elements, always with one argument each.
template <class F, class... Vs>
decltype(auto) call_with_all(F& f, const Vs&... values) {
  constexpr bool fits = Takes<F, Vs...>;
  static_assert(fits,
                "hasten: this function or operator cannot be called with the arguments it gets "
                "here, one per array: check the number and types of its parameters");
  if constexpr (fits) {
    return f(values...);
  } else {
    return NotCallable{};
  }
}

/// Whether a function takes an element or index, as one argument or member by member.
template <class F, class V>
inline constexpr bool takes_element = Takes<F, V>;
template <class F, class V>
  requires(!Takes<F, V> && has_parts<V>)
inline constexpr bool takes_element<F, V> =
    takes_parts<F, V, std::make_index_sequence<parts_of<V>>>;

/// Checks that a function of one element or index takes a V and returns an element. Operations make
/// this check themselves, before they trace: the fewer calls there are between the user's call and
/// the check, the shorter is the compiler's message. (The deduced return type makes GCC check
/// immediately, not at the end of the translation unit.)
template <class F, class V>
constexpr auto check_function() {
  constexpr bool fits = takes_element<F, V>;
  static_assert(fits,
                "hasten: this function cannot be called with the one argument it gets here: "
                "check the number and types of its parameters");
  if constexpr (fits) {
    using R = decltype(call_with(std::declval<F&>(), std::declval<const V&>()));
    constexpr bool is_element = Liftable<std::remove_cvref_t<R>>;
    static_assert(is_element,
                  "hasten: the result of this function is no element: return an Exp, a number or "
                  "a group of these (an array computation cannot be the result of a function of "
                  "elements: that would nest parallel operations)");
  }
}

/// A traced scalar function with results of type T.
template <class T>
struct Traced1 {
  using Result = T;
  Function fn;
};

/// Rethrows the error. An error of an operator, which has no source location, gets that of the
/// operation that uses it.
[[noreturn]] void throw_placed(const BuildError& error, const Where& where);

/// Calls `call` with one Exp per P and closes the function over its result.
template <class... Ps, class Call>
auto trace(List<Ps...>, const char* operation, const Where& where, Call call) {
  const std::array<Type, sizeof...(Ps)> types{element_type<Ps>()...};
  Scope scope(types);
  const auto result = [&] {
    try {
      return with_indices<sizeof...(Ps)>(
          [&](auto... i) { return call(exp_of<Ps>(scope.param(i))...); });
    } catch (const BuildError& error) {
      throw_placed(error, where);
    }
  };
  using R = std::remove_cvref_t<decltype(result())>;
  if constexpr (Liftable<R>) {
    using T = Lifted<R>;
    return Traced1<T>{scope.close({term_of(lift(result()))}, operation, where)};
  } else {
    static_assert(Liftable<R> || std::is_same_v<R, NotCallable>,
                  "hasten: the result of this function is no element: return an Exp, a number or "
                  "a group of these (an array computation cannot be the result of a function of "
                  "elements: that would nest parallel operations)");
    return Traced1<bool>{};
  }
}

/// A function of an index of rank N.
template <std::size_t N, class F>
auto trace_index(const char* operation, const Where& where, F& f) {
  return trace(Repeat<std::int64_t, N>{}, operation, where, [&](const auto&... axes) {
    const std::array<Term, N> terms{term_of(axes)...};
    return call_with(f, index_exp<N>(terms));
  });
}

/// A function of one element.
template <class T, class F>
auto trace_element(const char* operation, const Where& where, F& f) {
  return trace(List<T>{}, operation, where, [&](const Exp<T>& x) { return call_with(f, x); });
}

// These functions are separate so that the compiler's message shows the two mismatched types.
template <class Result, class State, bool is_state = std::is_same_v<Result, State>>
constexpr auto loop_body_must_return_the_state() {
  static_assert(is_state,
                "hasten: the result of the loop's body must have the type of the state; convert "
                "with cast<T>(e), or give an initial state of the body's type");
}
template <class Result, class Element>
constexpr auto fold_operator_must_return_the_element() {
  static_assert(
      std::is_same_v<Result, Element>,
      "hasten: the result of the operator of a fold, scan or permute must have the element "
      "type of the array; "
      "map the array to the result's type first, or cast<T> the result");
}
template <class Result>
constexpr auto condition_must_be_bool() {
  static_assert(std::is_same_v<Result, bool>,
                "hasten: a condition must be an Exp<bool> (or, in array control flow, an "
                "Acc<Scalar<bool>>): compare with == or <");
}

}  // namespace hasten::detail
