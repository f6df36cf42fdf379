// Groups of arrays: one Acc, or std groups and HASTEN_GROUP structs of them, nested.
#pragma once

#include <hasten/acc.hpp>
#include <hasten/detail/trace.hpp>
#include <hasten/struct.hpp>

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

/// Makes a group by calling make(type_identity<Part>) for each part, in order.
template <class G, class Make>
G make_group(Make make) {
  return [&]<class... Ps>(List<Ps...>) {
    return G{make(std::type_identity<Ps>{})...};  // braces: in order
  }(Parts<G>{});
}

template <class G>
void append_arrays(const G& group, std::vector<Term>& out) {
  if constexpr (is_acc<G>) {
    out.push_back(term_of(group));
  } else {
    with_indices<Parts<G>::size>([&](auto... i) { (append_arrays(part<i>(group), out), ...); });
  }
}
template <class G>
std::vector<Term> arrays_of(const G& group) {
  std::vector<Term> terms;
  append_arrays(group, terms);
  return terms;
}

/// The types and ranks of a group's arrays.
template <class G>
void append_array_params(std::vector<Scope::ArrayParam>& out) {
  if constexpr (is_acc<G>) {
    out.push_back({element_type<ElementOf<G>>(), static_cast<unsigned>(rank_of_array<G>)});
  } else {
    [&]<class... Ps>(List<Ps...>) { (append_array_params<Ps>(out), ...); }(Parts<G>{});
  }
}

/// A group of the terms from `next` on, which then stands behind them.
template <class G>
G group_of(std::span<const Term> terms, std::size_t& next) {
  if constexpr (is_acc<G>) {
    return acc_of<ElementOf<G>, rank_of_array<G>>(terms[next++]);
  } else {
    return make_group<G>([&]<class P>(std::type_identity<P>) { return group_of<P>(terms, next); });
  }
}
template <class G>
G group_of(std::span<const Term> terms) {
  std::size_t next = 0;
  return group_of<G>(terms, next);
}

/// The group of Accs of a group of host arrays.
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
