// Scalar control and conversions: select, while_loop, iterate, fold_range, cast, bit_cast,
// parameter, constant.
#pragma once

#include <hasten/operations/operators.hpp>

namespace hasten {

/// Converts a number to T, also a real number to a complex T. Integers wrap, floats saturate when
/// converted to integers, and conversion to bool is x != 0. Arrays are converted elementwise.
template <class T, class X>
  requires detail::Liftable<X>
Exp<T> cast(const X& x) {
  using From = detail::Lifted<X>;
  static_assert(!detail::is_complex_leaf<From> || detail::is_complex_leaf<T>,
                "hasten::cast: a complex number is no number of another kind: take real(e), "
                "imag(e), abs(e) or norm(e)");
  static_assert(detail::Leaf<T> && detail::Leaf<From>,
                "hasten::cast: converts between primitive types (bool, char, integers, "
                "floating numbers): cast the members of a group one by one");
  const detail::Term term = detail::term_of(detail::lift(x));
  if constexpr (detail::is_complex_leaf<T>) {
    return detail::exp_of<T>(detail::complex_cast(term, detail::LeafOf<T>::value));
  } else {
    return detail::exp_of<T>(detail::cast_term(term, detail::LeafOf<T>::value));
  }
}
template <class T, class S, std::size_t N>
Acc<Array<T, N>> cast(const Acc<Array<S, N>>& a, detail::Where where = detail::Where::current()) {
  return detail::elementwise("cast", where, [](const auto& x) { return cast<T>(x); }, a);
}

/// Reinterprets the bits as another type of the same width. Applies elementwise to arrays.
template <class T, class S>
Exp<T> bit_cast(const Exp<S>& x) {
  static_assert(detail::Leaf<T> && detail::Leaf<S> && sizeof(T) == sizeof(S) &&
                    !detail::is_complex_leaf<T> && !detail::is_complex_leaf<S>,
                "hasten::bit_cast: needs two primitive types of one width, not complex ones");
  constexpr detail::ScalarType to = detail::LeafOf<T>::value;
  if constexpr (to == detail::LeafOf<S>::value) {
    return detail::exp_of<T>(detail::term_of(x));
  } else {
    return detail::exp_of<T>(detail::prim_of(detail::ScalarOp::bit_cast, to, {detail::term_of(x)}));
  }
}
template <class T, class S, std::size_t N>
Acc<Array<T, N>> bit_cast(const Acc<Array<S, N>>& a,
                          detail::Where where = detail::Where::current()) {
  return detail::elementwise("bit_cast", where, [](const auto& x) { return bit_cast<T>(x); }, a);
}

/// A value that is a parameter of the compiled program from the start: a change of it never
/// recompiles.
template <class X>
  requires(detail::Liftable<X> && !detail::is_exp<X>)
Exp<detail::Lifted<X>> parameter(const X& value) {
  using T = detail::Lifted<X>;
  return detail::exp_of<T>(detail::literal(static_cast<T>(value), detail::LiteralMode::parameter));
}

/// A value that is a permanent constant of the compiled program: another value makes another
/// program.
template <class X>
  requires(detail::Liftable<X> && !detail::is_exp<X>)
Exp<detail::Lifted<X>> constant(const X& value) {
  using T = detail::Lifted<X>;
  return detail::exp_of<T>(detail::literal(static_cast<T>(value), detail::LiteralMode::baked));
}

/// a if c is true, else b; only the one chosen is evaluated. An array of conditions selects
/// elementwise.
template <class C, class A, class B>
auto select(const C& c, const A& a, const B& b, detail::Where where = detail::Where::current()) {
  if constexpr (detail::is_acc<C>) {
    static_assert(std::is_same_v<typename detail::ElementBeside<C>::type, bool>,
                  "hasten::select: the array of conditions must hold bool");
    return detail::elementwise(
        detail::Meet::equal, "select", where,
        [&](const Exp<bool>& one, const auto& x, const auto& y) {
          return hasten::select(one, x, y, where);
        },
        c, a, b);
  } else if constexpr (detail::is_acc<A> || detail::is_acc<B>) {
    static_assert(detail::always_false<C>,
                  "hasten::select: one condition beside arrays: to choose a whole array use "
                  "acond(c, a, b); to choose element by element give an array of conditions");
  } else {
    constexpr bool is_condition = std::is_same_v<C, bool> || std::is_same_v<C, Exp<bool>>;
    static_assert(is_condition,
                  "hasten::select: the condition must be an Exp<bool>: compare "
                  "with == or <");
    static_assert(detail::HaveCommon<A, B>,
                  "hasten::select: both sides must have one type; Exps of different types, and "
                  "plain numbers of different types, never mix silently: say which type you mean "
                  "with cast<T>(e)");
    if constexpr (is_condition && detail::HaveCommon<A, B>) {
      using T = detail::Common<A, B>;
      return detail::exp_of<T>(detail::conditional(detail::term_of(Exp<bool>(c)),
                                                   detail::term_of(detail::exp_as<T>(a, where)),
                                                   detail::term_of(detail::exp_as<T>(b, where))));
    }
  }
}

/// The same as select.
template <class C, class A, class B>
auto if_(const C& c, const A& a, const B& b, detail::Where where = detail::Where::current()) {
  return hasten::select(c, a, b, where);
}

/// state = init; while (condition(state)) state = body(state).
template <class Condition, class Body, class Init>
auto while_loop(Condition condition, Body body, const Init& init,
                detail::Where where = detail::Where::current()) {
  static_assert(detail::Liftable<Init>,
                "hasten::while_loop: the initial state must be an Exp, a number or a group of "
                "these; for arrays use awhile");
  using State = detail::Lifted<Init>;
  auto test = detail::trace_element<State>("while_loop", where, condition);
  auto step = detail::trace_element<State>("while_loop", where, body);
  using TestResult = typename decltype(test)::Result;
  using StepResult = typename decltype(step)::Result;
  detail::condition_must_be_bool<TestResult>();
  detail::loop_body_must_return_the_state<StepResult, State>();
  return detail::exp_of<State>(detail::while_loop(std::move(test.fn), std::move(step.fn),
                                                  detail::term_of(detail::lift(init))));
}

}  // namespace hasten

namespace hasten::detail {

/// state = step(k, state) for k from 0 to n - 1.
template <class State, class Step>
Exp<State> counted_loop(const Extent& n, Step step, const Exp<State>& init, const Where& where) {
  using Counted = std::pair<std::int64_t, State>;
  const auto times = exp_of<std::int64_t>(n.term());
  const auto counted = hasten::while_loop(
      [&](const Exp<Counted>& s) { return get<0>(s) < times; },
      [&](const Exp<Counted>& s) {
        const auto next = step(get<0>(s), get<1>(s));
        using Next = std::remove_cvref_t<decltype(next)>;
        if constexpr (Liftable<Next>) {
          loop_body_must_return_the_state<Lifted<Next>, State>();
          return std::pair{get<0>(s) + 1, lift(next)};
        } else {
          static_assert(Liftable<Next> || std::is_same_v<Next, NotCallable>,
                        "hasten: the result of this loop's body is no scalar: return an Exp, a "
                        "number or a group of these");
          return s;
        }
      },
      std::pair{Exp<std::int64_t>(0), init}, where);
  return get<1>(counted);
}

}  // namespace hasten::detail

namespace hasten {

/// Applies f n times to x; n <= 0 returns x. f receives the state or, if it takes one more
/// parameter, the number of the round (an Exp<int64_t> from 0) and the state.
template <class F, class X>
auto iterate(const detail::Extent& n, F f, const X& x,
             detail::Where where = detail::Where::current()) {
  static_assert(detail::Liftable<X>,
                "hasten::iterate: the initial state must be an Exp, a number or a group of these; "
                "for arrays use aiterate");
  return detail::counted_loop(
      n, [&](const auto& k, const auto& state) { return detail::call_in_round(f, k, state); },
      detail::lift(x), where);
}

/// z = f(k, z) for k from 0 to n - 1, an Exp<int64_t>; n <= 0 returns z. This is an ordered loop of
/// scalar code, for folds inside one element such as polynomials and short sums. n may depend on
/// the element.
template <class Z, class F>
auto fold_range(const detail::Extent& n, const Z& z, F f,
                detail::Where where = detail::Where::current()) {
  static_assert(detail::Liftable<Z>,
                "hasten::fold_range: the initial state must be an Exp, a number or a group of "
                "these; for arrays use aiterate");
  return detail::counted_loop(
      n, [&](const auto& k, const auto& state) { return detail::call_with_number(f, k, state); },
      detail::lift(z), where);
}

}  // namespace hasten
