// Plain C++ numbers beside Exps: which of them convert, which do not compile, and which are a
// BuildError.
#pragma once

#include <hasten/scalar/element.hpp>

#include <bit>

namespace hasten::detail {

[[noreturn]] void throw_unfit(std::int64_t number, ScalarType type, const Where& where);
[[noreturn]] void throw_unfit(std::uint64_t number, ScalarType type, const Where& where);
[[noreturn]] void throw_unfit(double number, ScalarType type, const Where& where);

/// Whether an integer keeps its value as a T.
template <class T, class N>
constexpr bool integer_fits(N n) {
  if constexpr (std::is_same_v<T, bool>) {
    return n == N(0) || n == N(1);
  } else {
    const T t = static_cast<T>(n);
    return static_cast<N>(t) == n && (t < T(0)) == (n < N(0));
  }
}

/// A plain number as a T, by the rules of "a plain number beside an Exp<T>".
template <Leaf T, Number N>
constexpr T number_as(N n, const Where& where) {
  if constexpr (std::is_same_v<T, N>) {
    return n;
  } else if constexpr (is_complex_leaf<T>) {
    return T(number_as<typename T::value_type>(n, where));
  } else if constexpr (is_floating_number<N> && !is_floating_leaf<T>) {
    static_assert(is_floating_leaf<T> || !is_floating_number<N>,
                  "hasten: a floating number beside an integer would lose its fraction: write an "
                  "integer, or cast<float>(e) the other side");
    return T{};
  } else if constexpr (is_floating_leaf<T>) {
    const T t = static_cast<T>(n);
    if constexpr (is_floating_number<N>) {  // rounding is accepted, overflow is not
      const bool was_finite = n - n == N(0);
      if (was_finite && !(t - t == T(0))) {
        throw_unfit(static_cast<double>(n), LeafOf<T>::value, where);
      }
    }
    return t;
  } else {
    if (!integer_fits<T>(n)) {
      using Wide = std::conditional_t<std::is_signed_v<N>, std::int64_t, std::uint64_t>;
      throw_unfit(static_cast<Wide>(n), LeafOf<T>::value, where);
    }
    return static_cast<T>(n);
  }
}

/// A complex number beside an Exp of another precision.
template <ComplexLeaf T, ComplexLeaf C>
constexpr T complex_as(const C& z, const Where& where) {
  using R = typename T::value_type;
  return {number_as<R>(z.real(), where), number_as<R>(z.imag(), where)};
}

/// The bits of a literal: floats in their own format, bool as 0 or 1, integers extended to 64 bits,
/// complex numbers as both parts.
template <Leaf T>
constexpr LiteralBits literal_bits(T value) {
  if constexpr (is_complex_leaf<T>) {
    return {literal_bits(value.real()).lo, literal_bits(value.imag()).lo};
  } else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) {
    return {value.bits(), 0};
  } else if constexpr (std::is_same_v<T, float>) {
    return {std::bit_cast<std::uint32_t>(value), 0};
  } else if constexpr (std::is_same_v<T, double>) {
    return {std::bit_cast<std::uint64_t>(value), 0};
  } else if constexpr (std::is_same_v<T, char>) {
    return {static_cast<std::uint64_t>(static_cast<std::int8_t>(value)), 0};
  } else {
    return {static_cast<std::uint64_t>(value), 0};  // sign-extends signed types
  }
}

/// A host value as a term.
template <Element T>
Term literal(const T& value, LiteralMode mode = LiteralMode::automatic) {
  if constexpr (Leaf<T>) {
    return constant(LeafOf<T>::value, literal_bits(value), mode);
  } else if constexpr (Sum<T>) {
    return literal(stored(value), mode);
  } else {
    return with_indices<member_count<T>>([&](auto... i) {
      const std::array<Term, sizeof...(i)> members{literal(member<i>(value), mode)...};
      return detail::make_tuple(element_type<T>(), members);
    });
  }
}

/// The literals of a host value's leaves, depth first.
template <Element T>
void append_literals(const T& value, std::vector<LiteralBits>& out) {
  if constexpr (Leaf<T>) {
    out.push_back(literal_bits(value));
  } else if constexpr (Sum<T>) {
    append_literals(stored(value), out);
  } else {
    with_indices<member_count<T>>(
        [&](auto... i) { (append_literals(member<i>(value), out), ...); });
  }
}

}  // namespace hasten::detail
