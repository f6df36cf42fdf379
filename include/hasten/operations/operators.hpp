// Elementwise operators on arrays, and the errors of operators between different Exp types. (The
// operators of Exp itself are its friends: detail/exp_operators.hpp.)
#pragma once

#include <hasten/detail/lift_arrays.hpp>

namespace hasten {

// Arrays with arrays (of equal shapes, else a ShapeError at run time), Exps and host values.

template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator+(const A& a, const B& b) {
  return detail::lifted_operator<detail::Types::arithmetic>(
      "+", [](const auto& x, const auto& y) -> decltype(x + y) { return x + y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator-(const A& a, const B& b) {
  return detail::lifted_operator<detail::Types::arithmetic>(
      "-", [](const auto& x, const auto& y) -> decltype(x - y) { return x - y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator*(const A& a, const B& b) {
  return detail::lifted_operator<detail::Types::arithmetic>(
      "*", [](const auto& x, const auto& y) -> decltype(x * y) { return x * y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator/(const A& a, const B& b) {
  return detail::lifted_operator<detail::Types::arithmetic>(
      "/", [](const auto& x, const auto& y) -> decltype(x / y) { return x / y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator%(const A& a, const B& b) {
  return detail::lifted_operator<detail::Types::arithmetic>(
      "%", [](const auto& x, const auto& y) -> decltype(x % y) { return x % y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator==(const A& a, const B& b) {
  return detail::lifted_operator("==", [](const auto& x, const auto& y) { return x == y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator!=(const A& a, const B& b) {
  return detail::lifted_operator("!=", [](const auto& x, const auto& y) { return x != y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator<(const A& a, const B& b) {
  return detail::lifted_operator<detail::Types::ordered>(
      "<", [](const auto& x, const auto& y) { return x < y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator<=(const A& a, const B& b) {
  return detail::lifted_operator<detail::Types::ordered>(
      "<=", [](const auto& x, const auto& y) { return x <= y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator>(const A& a, const B& b) {
  return detail::lifted_operator<detail::Types::ordered>(
      ">", [](const auto& x, const auto& y) { return x > y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator>=(const A& a, const B& b) {
  return detail::lifted_operator<detail::Types::ordered>(
      ">=", [](const auto& x, const auto& y) { return x >= y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator&&(const A& a, const B& b) {
  return detail::lifted_operator("&&", [](const auto& x, const auto& y) { return x && y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator||(const A& a, const B& b) {
  return detail::lifted_operator("||", [](const auto& x, const auto& y) { return x || y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator&(const A& a, const B& b) {
  return detail::lifted_operator("&", [](const auto& x, const auto& y) { return x & y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator|(const A& a, const B& b) {
  return detail::lifted_operator("|", [](const auto& x, const auto& y) { return x | y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator^(const A& a, const B& b) {
  return detail::lifted_operator("^", [](const auto& x, const auto& y) { return x ^ y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator<<(const A& a, const B& b) {
  return detail::lifted_operator<detail::Types::any>(
      "<<", [](const auto& x, const auto& y) { return x << y; }, a, b);
}
template <class A, class B>
  requires detail::ArrayOperands<A, B>
auto operator>>(const A& a, const B& b) {
  return detail::lifted_operator<detail::Types::any>(
      ">>", [](const auto& x, const auto& y) { return x >> y; }, a, b);
}

template <class T, std::size_t N>
auto operator-(const Acc<Array<T, N>>& a) {
  return detail::elementwise("-", {}, [](const auto& x) { return -x; }, a);
}
template <class T, std::size_t N>
auto operator!(const Acc<Array<T, N>>& a) {
  return detail::elementwise("!", {}, [](const auto& x) { return !x; }, a);
}
template <class T, std::size_t N>
auto operator~(const Acc<Array<T, N>>& a) {
  return detail::elementwise("~", {}, [](const auto& x) { return ~x; }, a);
}

// Different Exp types never mix silently: each of these is a compile-time error that says so.

template <class A, class B>
  requires detail::Mixed<A, B>
auto operator+(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator-(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator*(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator/(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator%(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator==(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator!=(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator<(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator<=(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator>(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator>=(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator&&(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator||(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator&(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator|(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}
template <class A, class B>
  requires detail::Mixed<A, B>
auto operator^(const Exp<A>&, const Exp<B>&) {
  return detail::mixed_types<A, B>();
}

// Tuples, structs, optionals and variants have only the arithmetic that a program defines for them.

template <class A, class B, class Hint = hint::groups_have_no_arithmetic_use_their_members>
  requires detail::GroupOperands<A, B>
void operator+(const A& a, const B& b) = delete;  // hasten: get<I>(e), or a member's name
template <class A, class B, class Hint = hint::groups_have_no_arithmetic_use_their_members>
  requires detail::GroupOperands<A, B>
void operator-(const A& a, const B& b) = delete;  // hasten: get<I>(e), or a member's name
template <class A, class B, class Hint = hint::groups_have_no_arithmetic_use_their_members>
  requires detail::GroupOperands<A, B>
void operator*(const A& a, const B& b) = delete;  // hasten: get<I>(e), or a member's name
template <class A, class B, class Hint = hint::groups_have_no_arithmetic_use_their_members>
  requires detail::GroupOperands<A, B>
void operator/(const A& a, const B& b) = delete;  // hasten: get<I>(e), or a member's name
template <class A, class B, class Hint = hint::groups_have_no_arithmetic_use_their_members>
  requires detail::GroupOperands<A, B>
void operator%(const A& a, const B& b) = delete;  // hasten: get<I>(e), or a member's name

// Host arrays have no operators except == and != among themselves.

template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator+(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator-(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator*(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator/(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator%(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator<(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator<=(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator>(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator>=(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator&&(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator||(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator&(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator|(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator^(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator<<(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayOperands<A, B>
void operator>>(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayBeside<A, B>
void operator==(const A& a, const B& b) = delete;  // hasten: use(array)
template <class A, class B, class Hint = hint::bring_host_arrays_in_with_use>
  requires detail::HostArrayBeside<A, B>
void operator!=(const A& a, const B& b) = delete;  // hasten: use(array)
template <class T, std::size_t N, class Hint = hint::bring_host_arrays_in_with_use>
void operator-(const Array<T, N>& a) = delete;  // hasten: use(array)
template <class T, std::size_t N, class Hint = hint::bring_host_arrays_in_with_use>
void operator!(const Array<T, N>& a) = delete;  // hasten: use(array)
template <class T, std::size_t N, class Hint = hint::bring_host_arrays_in_with_use>
void operator~(const Array<T, N>& a) = delete;  // hasten: use(array)

}  // namespace hasten
