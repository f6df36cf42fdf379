// The only access from the typed handles to the terms they hold.
#pragma once

#include <hasten/scalar/element.hpp>

namespace hasten::detail {

struct Access {
  template <class Handle>
  static const Term& term(const Handle& handle) {
    return handle.term_;
  }
  template <class Handle>
  static Handle make(Term term) {
    return Handle(std::move(term));
  }
  template <class Handle>
  static const auto& terms(const Handle& handle) {
    return handle.terms_;
  }
  template <class Handle, class Terms>
  static Handle of_terms(Terms terms) {
    return Handle(std::move(terms));
  }
  template <class A>
  static std::shared_ptr<const HostArray> host(const A& array) {
    return array.host();
  }
  template <class C, class Executable>
  static C program(Executable executable) {
    return C(std::move(executable));
  }
  template <class A>
  static A array(std::shared_ptr<const HostArray> host) {
    return A(std::move(host));
  }
  template <class A, class Placed>
  static A placed(Placed placed) {
    return A(std::move(placed));
  }
};

template <class T>
Exp<T> exp_of(Term term) {
  return Access::make<Exp<T>>(std::move(term));
}
template <class T>
Term term_of(const Exp<T>& e);

template <class T>
inline constexpr bool is_exp = false;
template <class T>
inline constexpr bool is_exp<Exp<T>> = true;
template <class T>
inline constexpr bool is_acc = false;
template <class A>
inline constexpr bool is_acc<Acc<A>> = true;
template <class T>
inline constexpr bool is_host_array = false;
template <class T, std::size_t N>
inline constexpr bool is_host_array<Array<T, N>> = true;

/// A pull or push array.
template <class T>
inline constexpr bool is_pull = false;
template <class T, std::size_t N>
inline constexpr bool is_pull<Pull<T, N>> = true;
template <class T>
inline constexpr bool is_push = false;
template <class T, std::size_t N>
inline constexpr bool is_push<Push<T, N>> = true;

/// An Exp of an integral type.
template <class T>
inline constexpr bool is_integral_exp = false;
template <class T>
inline constexpr bool is_integral_exp<Exp<T>> = is_integral_leaf<T>;

/// A plain integer.
template <class I>
concept Integer = std::is_integral_v<I> && !std::is_same_v<I, bool>;

/// Types accepted for a component of an index, an extent, a count or an amount.
template <class I>
concept IndexScalar =
    Integer<I> || is_integral_exp<I> || std::is_same_v<I, Ix<1>> || std::is_same_v<I, Exp<Ix<1>>>;

}  // namespace hasten::detail
