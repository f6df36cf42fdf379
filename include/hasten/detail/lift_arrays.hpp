// Elementwise lifting of scalar functions to arrays, for operators and math functions.
#pragma once

#include <hasten/array/acc.hpp>
#include <hasten/detail/trace.hpp>

namespace hasten::detail {

template <class L, class... As>
struct ElementsOfAccs {
  using type = L;
};
template <class... Ts, class A, class... As>
struct ElementsOfAccs<List<Ts...>, Acc<A>, As...>
    : ElementsOfAccs<List<Ts..., ElementOf<A>>, As...> {};
template <class... Ts, class X, class... As>
struct ElementsOfAccs<List<Ts...>, X, As...> : ElementsOfAccs<List<Ts...>, As...> {};

template <class A>
inline constexpr std::size_t rank_or_none = ~std::size_t{0};
template <class A>
inline constexpr std::size_t rank_or_none<Acc<A>> = rank_of_array<A>;

/// The common rank of the arrays among the arguments.
template <class... As>
constexpr std::size_t common_rank() {
  std::size_t rank = ~std::size_t{0};
  ((rank = rank_or_none<As> < rank ? rank_or_none<As> : rank), ...);
  return rank;
}
template <class... As>
constexpr bool one_rank() {
  return ((!is_acc<As> || rank_or_none<As> == common_rank<As...>()) && ...);
}

/// The number of arrays among the first `end` arguments.
template <class... As>
constexpr std::size_t arrays_before(std::size_t end) {
  const bool arrays[] = {is_acc<As>...};
  std::size_t count = 0;
  for (std::size_t i = 0; i < end; ++i) count += arrays[i] ? 1 : 0;
  return count;
}

template <class A>
void append_array(std::vector<Term>& arrays, const A& a) {
  if constexpr (is_acc<A>) arrays.push_back(term_of(a));
}

/// Applies f to the elements of the arrays among the arguments, and to the other arguments
/// unchanged.
template <class F, class... As>
auto elementwise(Meet meet, const char* operation, const Where& where, F f, const As&... args) {
  static_assert(one_rank<As...>(),
                "hasten: elementwise operations need arrays of one rank; ranks never broadcast: "
                "replicate the smaller array first");
  const std::tuple<const As&...> all(args...);
  auto traced = trace(
      typename ElementsOfAccs<List<>, As...>::type{}, operation, where,
      [&](const auto&... elements) {
        const std::tuple<decltype(elements)...> params(elements...);
        const auto pick = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) -> auto& {
          if constexpr (is_acc<At<I, List<As...>>>) {
            return std::get<arrays_before<As...>(I)>(params);
          } else {
            return std::get<I>(all);
          }
        };
        return with_indices<sizeof...(As)>([&](auto... i) { return call_with_all(f, pick(i)...); });
      });
  using T = typename decltype(traced)::Result;
  std::vector<Term> arrays;
  (append_array(arrays, args), ...);
  Term result = arrays.size() == 1
                    ? map(std::move(traced.fn), element_type<T>(), arrays[0], operation, where)
                    : zip_with(std::move(traced.fn), element_type<T>(), std::move(arrays), meet,
                               operation, where);
  return acc_of<T, common_rank<As...>()>(std::move(result));
}

/// Likewise; extents intersect.
template <class F, class... As>
auto elementwise(const char* operation, const Where& where, F f, const As&... args) {
  return elementwise(Meet::intersection, operation, where, std::move(f), args...);
}

template <class A>
struct ElementBeside {
  using type = void;
};
template <class A>
struct ElementBeside<Acc<A>> {
  using type = ElementOf<A>;
};

/// The operand beside an array of elements T: a plain number becomes a T, a host value an Exp.
template <class T, class X>
auto beside_array(const X& x, const Where& where) {
  if constexpr (is_acc<X> || is_exp<X>) {
    return x;
  } else if constexpr (Number<X> && Leaf<T>) {
    return exp_of<T>(literal(number_as<T>(x, where)));
  } else {
    return lift(x);
  }
}

template <class X>
struct OperandElement {
  using type = void;
};
template <class T>
struct OperandElement<Exp<T>> {
  using type = T;
};
template <class A>
struct OperandElement<Acc<A>> {
  using type = ElementOf<A>;
};

/// Elements with members that are not numbers: all except indices.
template <class X>
inline constexpr bool is_group_exp = false;
template <class T>
inline constexpr bool is_group_exp<Exp<T>> = !Leaf<T> && !is_ix<T>;
/// Two such elements of one type. (Beside any other type, these operators would be better matches
/// than those of a program that may convert it.)
template <class A, class B>
concept GroupOperands = std::is_same_v<A, B> && is_group_exp<A>;

/// Two primitive Exps of different types.
template <class A, class B>
concept Mixed = Leaf<A> && Leaf<B> && !std::is_same_v<A, B>;

/// The error for mixing them.
template <class A, class B>
auto mixed_types() {
  static_assert(std::is_same_v<A, B>,
                "hasten: Exps of different types never mix silently: say which type you mean with "
                "cast<T>(e)");
  return Exp<A>();
}

/// The operands of an operator: elements of one type; of one ordered type; of one arithmetic type;
/// or (shifts) of any two types.
enum class Types : std::uint8_t { one, ordered, arithmetic, any };

/// Groups have only the arithmetic that a program defines.
template <class F, class T, class U>
inline constexpr bool lacks_arithmetic = false;
template <class F, class T, class U>
  requires GroupOperands<Exp<T>, Exp<U>>
inline constexpr bool lacks_arithmetic<F, T, U> =
    !std::is_invocable_v<F, const Exp<T>&, const Exp<U>&>;

/// An operator between an array and an array or scalar. It has no source location of its own.
template <Types types = Types::one, class F, class A, class B>
auto lifted_operator(const char* operation, F f, const A& a, const B& b) {
  using T = typename OperandElement<A>::type;
  using U = typename OperandElement<B>::type;
  constexpr bool is_mixed = Mixed<T, U>;
  static_assert(types == Types::any || !is_mixed,
                "hasten: elements of different types never mix silently: say which type you mean "
                "with cast<T>(a)");
  constexpr bool has_order = std::is_void_v<T> ? is_ordered<U> : is_ordered<T>;
  static_assert(types != Types::ordered || has_order,
                "hasten: complex numbers have no order, nor have groups that hold them: compare "
                "abs(a), norm(a), or real(a) and imag(a)");
  static_assert(types != Types::arithmetic || !lacks_arithmetic<F, T, U>,
                "hasten: groups have no arithmetic: map a function that names their members, or "
                "define the operator for the Exps of your own struct");
  constexpr bool is_of_one_rank = one_rank<A, B>();
  static_assert(is_of_one_rank,
                "hasten: operators need arrays of one rank; ranks never broadcast: replicate the "
                "smaller array first");
  const Where nowhere{};
  if constexpr (is_acc<A>) {
    return elementwise(Meet::equal, operation, nowhere, f, a,
                       beside_array<typename ElementBeside<A>::type>(b, nowhere));
  } else {
    return elementwise(Meet::equal, operation, nowhere, f,
                       beside_array<typename ElementBeside<B>::type>(a, nowhere), b);
  }
}

/// Valid operands beside an array's elements. Numbers beside primitive elements have their own
/// operators (array_operators.hpp).
template <class A, class B>
inline constexpr bool stands_beside = false;
template <class A, class B>
inline constexpr bool stands_beside<Acc<A>, B> =
    is_acc<B> || (Liftable<B> && !(Number<B> && Leaf<ElementOf<A>>) &&
                  (!Sum<ElementOf<A>> || converts_to<B, ElementOf<A>>));
template <class A, class B>
concept ArrayOperands = stands_beside<A, B> || stands_beside<B, A>;

/// Host arrays used where only arrays of programs have operators.
template <class X>
inline constexpr bool is_operand =
    is_host_array<X> || is_acc<X> || is_exp<X> || std::is_arithmetic_v<X>;
template <class A, class B>
concept HostArrayOperands =
    (is_host_array<A> || is_host_array<B>) && is_operand<A> && is_operand<B>;
template <class A, class B>
concept HostArrayBeside = HostArrayOperands<A, B> && is_host_array<A> != is_host_array<B>;

}  // namespace hasten::detail
