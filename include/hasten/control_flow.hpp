// Control flow over arrays: acond, awhile, aiterate, compute.
#pragma once

#include <hasten/bring_in.hpp>
#include <hasten/detail/array_groups.hpp>

namespace hasten::detail {

template <class G>
constexpr auto check_array_group() {
  static_assert(is_array_group<G>,
                "hasten: array control flow works on Acc<...> and groups of these (std::tuple, "
                "std::pair, std::array, HASTEN_GROUP): bring host arrays in with use(array), "
                "scalars with unit(e); for scalar loops use while_loop and select");
}

/// An array function of a state: its condition or its next state.
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

/// The arrays a where c is true, else b; only those chosen are computed.
template <class C, class G, class H>
auto acond(const C& c, const G& a, const H& b, detail::Where where = detail::Where::current()) {
  detail::check_array_group<G>();
  static_assert(std::is_same_v<G, H>,
                "hasten::acond: both branches must have the same type: the same groups of arrays "
                "of the same ranks and element types");
  if constexpr (detail::is_array_group<G> && std::is_same_v<G, H>) {
    return detail::group_of<G>(detail::array_if(detail::condition_term(c), detail::arrays_of(a),
                                                detail::arrays_of(b), where));
  } else {
    return a;
  }
}

/// state = init; while (condition(state)) state = body(state). Extents may change from round to
/// round. The state is one array or a group of arrays.
template <class Condition, class Body, class State>
State awhile(Condition condition, Body body, const State& init,
             detail::Where where = detail::Where::current()) {
  detail::check_array_group<State>();
  if constexpr (detail::is_array_group<State>) {
    detail::Function test = detail::trace_state<State>("awhile", where, [&](const State& state) {
      return std::vector<detail::Term>{detail::condition_term(detail::call_with(condition, state))};
    });
    detail::Function step = detail::trace_state<State>("awhile", where, [&](const State& state) {
      const auto next = detail::call_with(body, state);
      using Next = std::remove_cvref_t<decltype(next)>;
      detail::loop_body_must_return_the_state<Next, State>();
      if constexpr (std::is_same_v<Next, State>) {
        return detail::arrays_of(next);
      } else {
        return std::vector<detail::Term>{};
      }
    });
    return detail::group_of<State>(
        detail::array_while(std::move(test), std::move(step), detail::arrays_of(init), where));
  } else {
    return init;
  }
}

/// f applied n times to init; n <= 0 gives init.
template <class F, class State>
State aiterate(const detail::Extent& n, F f, const State& init,
               detail::Where where = detail::Where::current()) {
  detail::check_array_group<State>();
  using Count = Acc<Scalar<std::int64_t>>;
  using Counted = std::pair<Count, State>;
  const auto times = detail::exp_of<std::int64_t>(n.term());
  const Counted last = awhile([&](const Counted& s) { return the(s.first) < times; },
                              [&](const Counted& s) {
                                const auto next = detail::call_with(f, s.second);
                                using Next = std::remove_cvref_t<decltype(next)>;
                                detail::loop_body_must_return_the_state<Next, State>();
                                return std::pair{unit(the(s.first) + 1, where), next};
                              },
                              Counted{unit(std::int64_t{0}, where), init}, where);
  return last.second;
}

/// The same arrays, kept in memory: nothing is fused through them.
template <class G>
G compute(const G& arrays, detail::Where where = detail::Where::current()) {
  detail::check_array_group<G>();
  std::vector<detail::Term> terms = detail::arrays_of(arrays);
  for (detail::Term& term : terms) term = detail::compute(term, where);
  return detail::group_of<G>(terms);
}

}  // namespace hasten
