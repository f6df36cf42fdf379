// Control flow over arrays: acond, awhile, aiterate, compute.
#pragma once

#include <hasten/array/bring_in.hpp>
#include <hasten/detail/array_groups.hpp>

namespace hasten::detail {

template <class Init>
using LoopState = typename StateOf<Init>::type;
template <class G>
inline constexpr bool is_controlled = is_state_group<LoopState<G>> && has_array<LoopState<G>>;
template <class G>
constexpr auto check_array_group() {
  static_assert(is_controlled<G>,
                "hasten: array control flow works on Acc<...> and groups of these and of Exps "
                "(std::tuple, std::pair, std::array, HASTEN_GROUP): bring host arrays in with "
                "use(array), scalars alone with unit(e); for scalar loops use while_loop and "
                "select");
}
template <class State>
constexpr auto check_loop_state() {
  static_assert(is_state_group<State>,
                "hasten: the state of a loop is an array, an Exp, or a group of these (std::tuple, "
                "std::pair, std::array, HASTEN_GROUP): bring host arrays in with use(array)");
}
/// The arrays of a loop body's result.
template <class State, class Next>
auto next_state(const Next& next, const Where& where) {
  loop_body_must_return_the_state<Next, State, becomes_state<Next, State>>();
  if constexpr (becomes_state<Next, State>) {
    return state_terms<State>(next, where);
  } else {
    return std::vector<Term>();
  }
}

/// An array function of a state: the loop's condition or its next state.
template <class State, class Call>
Function trace_state(const char* operation, const Where& where, Call call) {
  std::vector<Scope::ArrayParam> params;
  append_array_params<State>(params);
  Scope scope(params, {});
  std::vector<Term> terms;
  terms.reserve(params.size());
  for (std::size_t i = 0; i < params.size(); ++i) terms.push_back(scope.param(i));
  return scope.close(call(group_of<State>(terms)), operation, where);
}

}  // namespace hasten::detail

namespace hasten {

/// The arrays a if c is true, else b; only those chosen are computed. a and b are arrays or groups
/// of arrays and Exps; numbers in a group become Exps.
template <class C, class G, class H>
auto acond(const C& c, const G& a, const H& b, detail::Where where = detail::Where::current()) {
  detail::check_array_group<G>();
  constexpr bool is_same = std::is_same_v<detail::LoopState<G>, detail::LoopState<H>>;
  static_assert(is_same,
                "hasten::acond: both branches must have the same type: the same groups of arrays "
                "of the same ranks and element types");
  if constexpr (detail::is_controlled<G> && is_same) {
    using Chosen = detail::LoopState<G>;
    return detail::group_of<Chosen>(detail::array_if(detail::condition_term(c),
                                                     detail::state_terms<Chosen>(a, where),
                                                     detail::state_terms<Chosen>(b, where), where));
  } else {
    return a;
  }
}

/// state = init; while (condition(state)) state = body(state). Extents may change from round to
/// round. The state is an array, an Exp, or a group of these; numbers in a group become Exps.
template <class Condition, class Body, class Init>
auto awhile(Condition condition, Body body, const Init& init,
            detail::Where where = detail::Where::current()) {
  using State = detail::LoopState<Init>;
  detail::check_loop_state<State>();
  if constexpr (detail::is_state_group<State>) {
    detail::Function test = detail::trace_state<State>("awhile", where, [&](const State& state) {
      return std::vector<detail::Term>{detail::condition_term(detail::call_with(condition, state))};
    });
    detail::Function step = detail::trace_state<State>("awhile", where, [&](const State& state) {
      return detail::next_state<State>(detail::call_with(body, state), where);
    });
    return detail::group_of<State>(detail::array_while(
        std::move(test), std::move(step), detail::state_terms<State>(init, where), where));
  } else {
    return init;
  }
}

/// Applies f n times to init; n <= 0 returns init. f receives the state or, if it takes one more
/// parameter, the number of the round (an Exp<int64_t> from 0) and the state.
template <class F, class Init>
auto aiterate(const detail::Extent& n, F f, const Init& init,
              detail::Where where = detail::Where::current()) {
  using State = detail::LoopState<Init>;
  detail::check_loop_state<State>();
  if constexpr (detail::is_state_group<State>) {
    using Counted = std::pair<Exp<std::int64_t>, State>;
    const auto times = detail::exp_of<std::int64_t>(n.term());
    std::vector<detail::Term> start{detail::unit(detail::i64_term(0), where)};
    detail::append_state<State>(init, where, start);
    detail::Function test = detail::trace_state<Counted>("aiterate", where, [&](const Counted& s) {
      return std::vector<detail::Term>{detail::condition_term(s.first < times)};
    });
    detail::Function step = detail::trace_state<Counted>("aiterate", where, [&](const Counted& s) {
      const auto next = detail::call_in_round(f, s.first, s.second);
      std::vector<detail::Term> terms{detail::unit(detail::term_of(s.first + 1), where)};
      for (const detail::Term& term : detail::next_state<State>(next, where)) terms.push_back(term);
      return terms;
    });
    return detail::group_of<Counted>(
               detail::array_while(std::move(test), std::move(step), std::move(start), where))
        .second;
  } else {
    return init;
  }
}

/// The same arrays, kept in memory: nothing is fused across this call. Exps in a group are computed
/// once.
template <class G>
auto compute(const G& arrays, detail::Where where = detail::Where::current()) {
  detail::check_array_group<G>();
  if constexpr (detail::is_controlled<G>) {
    using Kept = detail::LoopState<G>;
    std::vector<detail::Term> terms = detail::state_terms<Kept>(arrays, where);
    for (detail::Term& term : terms) term = detail::compute(term, where);
    return detail::group_of<Kept>(terms);
  } else {
    return arrays;
  }
}

}  // namespace hasten
