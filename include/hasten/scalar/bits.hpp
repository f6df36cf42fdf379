// Functions on the bits of integers: on Exps, and elementwise on arrays.
#pragma once

#include <hasten/detail/lift_math.hpp>

namespace hasten::detail {

template <class X>
auto count_bits(ScalarOp op, const char* name, const Where& where, const X& x) {
  const auto apply = [op]<class T>(const Exp<T>& e) {
    check_integral<T>();
    return exp_of<std::int32_t>(bit_count(op, term_of(e)));
  };
  return lifted(name, where, apply, x);
}

template <class X>
auto rotated(ScalarOp op, const char* name, const Where& where, const X& x, const ShiftCount& n) {
  const auto apply = [op, &n]<class T>(const Exp<T>& e) {
    check_integral<T>();
    constexpr ScalarType type = LeafOf<T>::value;
    return exp_of<T>(prim_of(op, type, {term_of(e), n.rotate(type)}));
  };
  return lifted(name, where, apply, x);
}

/// f(x, 1 << i)
template <class F, class X>
auto with_bit(const char* name, const Where& where, F f, const X& x, const ShiftCount& i) {
  const auto apply = [&f, &i]<class T>(const Exp<T>& e) {
    check_integral<T>();
    return f(e, exp_of<T>(literal(T(1), LiteralMode::baked)) << i);
  };
  return lifted(name, where, apply, x);
}

/// f(x, n) for each amount n of an array, and for x or its elements.
template <class F, class X, class T, std::size_t N>
auto of_amounts(const char* name, const Where& where, F f, const X& x, const Acc<Array<T, N>>& n) {
  using E = typename OperandElement<X>::type;
  constexpr bool is_of_integers = is_integral_leaf<T> && (std::is_void_v<E> || is_integral_leaf<E>);
  static_assert(is_of_integers,
                "hasten: this function works on integers, and amounts are integers");
  if constexpr (is_of_integers) {
    return elementwise(
        Meet::equal, name, where,
        [&f](const auto& e, const Exp<T>& amount) { return f(e, ShiftCount(amount)); }, x, n);
  }
}

}  // namespace hasten::detail

namespace hasten {

/// The number of bits set.
template <class X>
auto popcount(const X& x, detail::Where where = detail::Where::current()) {
  return detail::count_bits(detail::ScalarOp::popcount, "popcount", where, x);
}
/// The number of zero bits above the highest bit set; the width for 0.
template <class X>
auto count_leading_zeros(const X& x, detail::Where where = detail::Where::current()) {
  return detail::count_bits(detail::ScalarOp::clz, "count_leading_zeros", where, x);
}
/// The number of zero bits below the lowest bit set; the width for 0.
template <class X>
auto count_trailing_zeros(const X& x, detail::Where where = detail::Where::current()) {
  return detail::count_bits(detail::ScalarOp::ctz, "count_trailing_zeros", where, x);
}
/// Rotation towards the high bits. The amount counts modulo the width; an array of amounts is
/// applied elementwise.
template <class X>
auto rotate_left(const X& x, const detail::ShiftCount& n,
                 detail::Where where = detail::Where::current()) {
  return detail::rotated(detail::ScalarOp::rotl, "rotate_left", where, x, n);
}
template <class X, class T, std::size_t N>
auto rotate_left(const X& x, const Acc<Array<T, N>>& n,
                 detail::Where where = detail::Where::current()) {
  return detail::of_amounts(
      "rotate_left", where,
      [&](const auto& e, const detail::ShiftCount& k) { return rotate_left(e, k, where); }, x, n);
}
/// Rotation towards the low bits. The amount counts modulo the width; an array of amounts is
/// applied elementwise.
template <class X>
auto rotate_right(const X& x, const detail::ShiftCount& n,
                  detail::Where where = detail::Where::current()) {
  return detail::rotated(detail::ScalarOp::rotr, "rotate_right", where, x, n);
}
template <class X, class T, std::size_t N>
auto rotate_right(const X& x, const Acc<Array<T, N>>& n,
                  detail::Where where = detail::Where::current()) {
  return detail::of_amounts(
      "rotate_right", where,
      [&](const auto& e, const detail::ShiftCount& k) { return rotate_right(e, k, where); }, x, n);
}
/// Whether bit i is set; false for a bit out of range.
template <class X>
auto test_bit(const X& x, const detail::ShiftCount& i,
              detail::Where where = detail::Where::current()) {
  return detail::with_bit(
      "test_bit", where,
      []<class T>(const Exp<T>& e, const Exp<T>& bit) { return (e & bit) != T(0); }, x, i);
}
template <class X, class T, std::size_t N>
auto test_bit(const X& x, const Acc<Array<T, N>>& i,
              detail::Where where = detail::Where::current()) {
  return detail::of_amounts(
      "test_bit", where,
      [&](const auto& e, const detail::ShiftCount& k) { return test_bit(e, k, where); }, x, i);
}
/// x with bit i set.
template <class X>
auto set_bit(const X& x, const detail::ShiftCount& i,
             detail::Where where = detail::Where::current()) {
  return detail::with_bit(
      "set_bit", where, [](const auto& e, const auto& bit) { return e | bit; }, x, i);
}
template <class X, class T, std::size_t N>
auto set_bit(const X& x, const Acc<Array<T, N>>& i,
             detail::Where where = detail::Where::current()) {
  return detail::of_amounts(
      "set_bit", where,
      [&](const auto& e, const detail::ShiftCount& k) { return set_bit(e, k, where); }, x, i);
}
/// x with bit i clear.
template <class X>
auto clear_bit(const X& x, const detail::ShiftCount& i,
               detail::Where where = detail::Where::current()) {
  return detail::with_bit(
      "clear_bit", where, [](const auto& e, const auto& bit) { return e & ~bit; }, x, i);
}
template <class X, class T, std::size_t N>
auto clear_bit(const X& x, const Acc<Array<T, N>>& i,
               detail::Where where = detail::Where::current()) {
  return detail::of_amounts(
      "clear_bit", where,
      [&](const auto& e, const detail::ShiftCount& k) { return clear_bit(e, k, where); }, x, i);
}
/// x with bit i flipped.
template <class X>
auto complement_bit(const X& x, const detail::ShiftCount& i,
                    detail::Where where = detail::Where::current()) {
  return detail::with_bit(
      "complement_bit", where, [](const auto& e, const auto& bit) { return e ^ bit; }, x, i);
}
template <class X, class T, std::size_t N>
auto complement_bit(const X& x, const Acc<Array<T, N>>& i,
                    detail::Where where = detail::Where::current()) {
  return detail::of_amounts(
      "complement_bit", where,
      [&](const auto& e, const detail::ShiftCount& k) { return complement_bit(e, k, where); }, x,
      i);
}

}  // namespace hasten
