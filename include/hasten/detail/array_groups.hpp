// Groups of arrays: one Acc, or std groups and HASTEN_GROUP structs of them, nested. Also groups of
// arrays and scalars, which are the states of loops.
#pragma once

#include <hasten/array/acc.hpp>
#include <hasten/detail/trace.hpp>
#include <hasten/scalar/struct.hpp>

namespace hasten::detail {

template <class G>
struct PartsOf {
  using type = List<>;
};
template <StdGroup G>
struct PartsOf<G> {
  using type = Members<G>;
};
template <class G, class P>
struct FieldTypes;
template <class G, class... Ts>
struct FieldTypes<G, std::tuple<Ts G::*...>> {
  using type = List<Ts...>;
};
template <RegisteredGroup G>
struct PartsOf<G> : FieldTypes<G, decltype(GroupDescriptor<G>::members())> {};
/// The member types of a std group or a registered group.
template <class G>
using Parts = typename PartsOf<G>::type;

template <class G>
concept PlainGroup = StdGroup<G> || RegisteredGroup<G>;

template <class G>
inline constexpr bool is_array_group = is_acc<G>;
template <class L>
inline constexpr bool are_array_groups = false;
template <class... Gs>
inline constexpr bool are_array_groups<List<Gs...>> = (is_array_group<Gs> && ...);
template <PlainGroup G>
inline constexpr bool is_array_group<G> = are_array_groups<Parts<G>>;

/// Groups of arrays and scalars; control flow carries the scalars as rank-0 arrays.
template <class G>
inline constexpr bool is_state_group = is_acc<G> || is_exp<G>;
template <class L>
inline constexpr bool are_state_groups = false;
template <class... Gs>
inline constexpr bool are_state_groups<List<Gs...>> = (is_state_group<Gs> && ...);
template <PlainGroup G>
inline constexpr bool is_state_group<G> = are_state_groups<Parts<G>>;

/// Whether the group contains an array.
template <class G>
inline constexpr bool has_array = is_acc<G>;
template <class L>
inline constexpr bool have_array = false;
template <class... Gs>
inline constexpr bool have_array<List<Gs...>> = (has_array<Gs> || ...);
template <PlainGroup G>
inline constexpr bool has_array<G> = have_array<Parts<G>>;

/// The type of a loop's initial state: plain numbers and host values become Exps.
template <class G>
struct StateOf {
  using type = G;
};
template <class G>
  requires(!PlainGroup<G> && !is_exp<G> && Liftable<G>)
struct StateOf<G> {
  using type = Exp<Lifted<G>>;
};
template <class G, class L>
struct StateGroup;
template <class G, class... Gs>
struct StateGroup<G, List<Gs...>> {
  using type = typename StdGroupOf<G>::template With<typename StateOf<Gs>::type...>;
};
template <StdGroup G>
struct StateOf<G> : StateGroup<G, Members<G>> {};

/// Whether a loop's body may return a Next: arrays unchanged, scalars in any form.
template <class Next, class State>
inline constexpr bool becomes_state = std::is_same_v<Next, State>;
template <Liftable Next, class T>
inline constexpr bool becomes_state<Next, Exp<T>> = std::is_same_v<Lifted<Next>, T>;
template <class L, class M>
inline constexpr bool become_states = false;
template <class... Ns, class... Ss>
  requires(sizeof...(Ns) == sizeof...(Ss))
inline constexpr bool become_states<List<Ns...>, List<Ss...>> = (becomes_state<Ns, Ss> && ...);
template <StdGroup Next, StdGroup State>
inline constexpr bool becomes_state<Next, State> =
    std::is_same_v<Next, State> || become_states<Members<Next>, Members<State>>;

/// Makes a group by calling make(type_identity<Part>) for each part, in order.
template <class G, class Make>
G make_group(Make make) {
  return [&]<class... Ps>(List<Ps...>) {
    return G{make(std::type_identity<Ps>{})...};  // braces: in order
  }(Parts<G>{});
}

/// Appends the arrays of a group that becomes a State; scalars become rank-0 arrays.
template <class State, class G>
void append_state(const G& group, const Where& where, std::vector<Term>& out) {
  if constexpr (is_exp<State>) {
    out.push_back(unit(term_of(lift(group)), where));
  } else if constexpr (is_acc<State>) {
    out.push_back(term_of(group));
  } else {
    [&]<class... Ps>(List<Ps...>) {
      with_indices<sizeof...(Ps)>(
          [&](auto... i) { (append_state<Ps>(part<i>(group), where, out), ...); });
    }(Parts<State>{});
  }
}
template <class State, class G>
std::vector<Term> state_terms(const G& group, const Where& where) {
  std::vector<Term> terms;
  append_state<State>(group, where, terms);
  return terms;
}
/// The arrays of a group.
template <class G>
std::vector<Term> arrays_of(const G& group) {
  return state_terms<G>(group, {});
}

/// Appends the types and ranks of a group's arrays; a scalar counts as a rank-0 array.
template <class G>
void append_array_params(std::vector<Scope::ArrayParam>& out) {
  if constexpr (is_acc<G>) {
    out.push_back({element_type<ElementOf<G>>(), static_cast<unsigned>(rank_of_array<G>)});
  } else if constexpr (is_exp<G>) {
    out.push_back({element_type<Lifted<G>>(), 0});
  } else {
    [&]<class... Ps>(List<Ps...>) { (append_array_params<Ps>(out), ...); }(Parts<G>{});
  }
}

/// A group of the terms from `next` on; `next` is advanced past them.
template <class G>
G group_of(std::span<const Term> terms, std::size_t& next) {
  if constexpr (is_acc<G>) {
    return acc_of<ElementOf<G>, rank_of_array<G>>(terms[next++]);
  } else if constexpr (is_exp<G>) {
    return exp_of<Lifted<G>>(index_array(terms[next++], {}));
  } else {
    return make_group<G>([&]<class P>(std::type_identity<P>) { return group_of<P>(terms, next); });
  }
}
template <class G>
G group_of(std::span<const Term> terms) {
  std::size_t next = 0;
  return group_of<G>(terms, next);
}

/// The group of Accs that corresponds to a group of host arrays.
template <class H>
struct UsedOf {};
template <class T, std::size_t N>
struct UsedOf<Array<T, N>> {
  using type = Acc<Array<T, N>>;
};
template <class G, class L>
struct UsedGroup {};
template <class G, class... Hs>
  requires(requires { typename UsedOf<Hs>::type; } && ...)
struct UsedGroup<G, List<Hs...>> {
  using type = typename StdGroupOf<G>::template With<typename UsedOf<Hs>::type...>;
};
template <StdGroup G>
struct UsedOf<G> : UsedGroup<G, Members<G>> {};
template <RegisteredGroup G>
struct UsedOf<G> {
  using type = typename GroupDescriptor<G>::InProgram;
};
template <class H>
concept HostArrays = requires { typename UsedOf<H>::type; };

template <HostArrays H>
auto use_arrays(const H& host, const Where& where) {
  if constexpr (PlainGroup<H>) {
    return with_indices<Parts<H>::size>(
        [&](auto... i) { return typename UsedOf<H>::type{use_arrays(part<i>(host), where)...}; });
  } else {
    using T = typename H::element_type;
    return acc_of<T, H::rank>(use_array(element_type<T>(), Access::host(host), where));
  }
}

/// A condition: Exp<bool>, bool or Acc<Scalar<bool>>.
template <class C>
Term condition_term(const C& c) {
  using Plain = std::conditional_t<std::is_same_v<C, Acc<Scalar<bool>>>, Exp<bool>, C>;
  constexpr bool ok = std::is_same_v<Plain, Exp<bool>> || std::is_same_v<Plain, bool>;
  condition_must_be_bool<std::conditional_t<ok, bool, C>>();
  if constexpr (is_acc<C>) {
    return term_of(the(c));
  } else if constexpr (ok) {
    return term_of(Exp<bool>(c));
  } else {
    return Term{};
  }
}

}  // namespace hasten::detail
