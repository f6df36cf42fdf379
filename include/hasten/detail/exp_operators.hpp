// The operators of Exp<T>, as friends that are found only beside an Exp<T>: a plain number on the
// other side is converted where the user wrote it.
#pragma once

#include <hasten/detail/access.hpp>
#include <hasten/detail/literal.hpp>
#include <hasten/detail/terms/complex.hpp>
#include <hasten/detail/terms/scalar.hpp>

namespace hasten::detail {

/// The right operand of << and >>: a plain integer or an Exp of any integral type.
class ShiftCount {
 public:
  template <Integer N>
  explicit(false) ShiftCount(N amount, Where where = Where::current())
      : number_(number_as<std::int64_t>(amount, where)) {}
  template <class T>
    requires is_integral_leaf<T>
  explicit(false) ShiftCount(const Exp<T>& amount) : term_(term_of(amount)) {}

  [[nodiscard]] Term shift(ScalarType shifted) const {
    return term_ ? shift_amount(term_, shifted) : shift_amount(number_, shifted);
  }
  [[nodiscard]] Term rotate(ScalarType rotated) const {
    return term_ ? rotate_amount(term_, rotated) : rotate_amount(number_, rotated);
  }

 private:
  Term term_;
  std::int64_t number_ = 0;
};

/// bool, spelled so that it depends on T: Exp<bool> is complete only when T is known.
template <class T>
struct BoolBesideOf {
  using type = bool;
};
template <class T>
using BoolBeside = typename BoolBesideOf<T>::type;
template <class T>
using BoolExp = Exp<BoolBeside<T>>;

template <class T>
Exp<T> prim1(ScalarOp op, const Exp<T>& a) {
  return exp_of<T>(prim_of(op, LeafOf<T>::value, {term_of(a)}));
}
template <class T>
Exp<T> prim2(ScalarOp op, const Exp<T>& a, const Exp<T>& b) {
  return exp_of<T>(prim_of(op, LeafOf<T>::value, {term_of(a), term_of(b)}));
}
template <class T>
BoolExp<T> compare(ScalarOp op, const Exp<T>& a, const Exp<T>& b) {
  return exp_of<BoolBeside<T>>(compare_terms(op, term_of(a), term_of(b)));
}

template <class T>
BoolExp<T> order(ScalarOp op, const Exp<T>& a, const Exp<T>& b) {
  static_assert(is_ordered<T>,
                "hasten: complex numbers have no order, nor have groups that hold them: compare "
                "abs(e), norm(e), or real(e) and imag(e)");
  return compare(op, a, b);
}

template <class T>
Exp<T> arithmetic(ScalarOp op, const Exp<T>& a, const Exp<T>& b) {
  static_assert(is_numeric_leaf<T>,
                "hasten: bool has no arithmetic: use && || ! or cast<int32_t>(e)");
  return prim2(op, a, b);
}
template <class T>
Exp<T> bitwise(ScalarOp op, const Exp<T>& a, const Exp<T>& b) {
  static_assert(!is_floating_leaf<T>,
                "hasten: & | ^ work on integers and bool: bit_cast a floating number first");
  return prim2(op, a, b);
}
template <class T>
Exp<T> shift(ScalarOp op, const Exp<T>& a, const ShiftCount& n) {
  static_assert(is_integral_leaf<T>, "hasten: << and >> shift the bits of integers");
  return exp_of<T>(prim_of(op, LeafOf<T>::value, {term_of(a), n.shift(LeafOf<T>::value)}));
}

/// Operators of primitive Exps.
template <class T>
struct LeafOperators {
  friend Exp<T> operator+(const Exp<T>& a, const Exp<T>& b) {
    return arithmetic(ScalarOp::add, a, b);
  }
  friend Exp<T> operator-(const Exp<T>& a, const Exp<T>& b) {
    return arithmetic(ScalarOp::sub, a, b);
  }
  friend Exp<T> operator*(const Exp<T>& a, const Exp<T>& b) {
    return arithmetic(ScalarOp::mul, a, b);
  }
  /// Truncates on integers, as in C++; division by zero returns 0.
  friend Exp<T> operator/(const Exp<T>& a, const Exp<T>& b) {
    return arithmetic(is_floating_leaf<T> ? ScalarOp::div : ScalarOp::quot, a, b);
  }
  friend Exp<T> operator%(const Exp<T>& a, const Exp<T>& b) {
    static_assert(is_integral_leaf<T>, "hasten: % works on integers: use fmod on floating numbers");
    return prim2(ScalarOp::rem, a, b);
  }
  friend Exp<T> operator-(const Exp<T>& a) {
    static_assert(is_numeric_leaf<T>, "hasten: bool has no arithmetic: use !e");
    return prim1(ScalarOp::neg, a);
  }
  friend Exp<T> operator+(const Exp<T>& a) { return a; }

  friend BoolExp<T> operator==(const Exp<T>& a, const Exp<T>& b) {
    return compare(ScalarOp::eq, a, b);
  }
  friend BoolExp<T> operator!=(const Exp<T>& a, const Exp<T>& b) {
    return compare(ScalarOp::ne, a, b);
  }
  friend BoolExp<T> operator<(const Exp<T>& a, const Exp<T>& b) {
    return compare(ScalarOp::lt, a, b);
  }
  friend BoolExp<T> operator<=(const Exp<T>& a, const Exp<T>& b) {
    return compare(ScalarOp::le, a, b);
  }
  friend BoolExp<T> operator>(const Exp<T>& a, const Exp<T>& b) {
    return compare(ScalarOp::gt, a, b);
  }
  friend BoolExp<T> operator>=(const Exp<T>& a, const Exp<T>& b) {
    return compare(ScalarOp::ge, a, b);
  }

  /// Lazy: b is evaluated only where a is true.
  friend BoolExp<T> operator&&(const Exp<T>& a, const Exp<T>& b) {
    static_assert(std::is_same_v<T, bool>, "hasten: && joins Exp<bool>s: compare first");
    return exp_of<BoolBeside<T>>(
        conditional(term_of(a), term_of(b), literal(false, LiteralMode::baked)));
  }
  friend BoolExp<T> operator||(const Exp<T>& a, const Exp<T>& b) {
    static_assert(std::is_same_v<T, bool>, "hasten: || joins Exp<bool>s: compare first");
    return exp_of<BoolBeside<T>>(
        conditional(term_of(a), literal(true, LiteralMode::baked), term_of(b)));
  }
  friend BoolExp<T> operator!(const Exp<T>& a) {
    static_assert(std::is_same_v<T, bool>, "hasten: ! negates an Exp<bool>: compare first");
    return prim1(ScalarOp::not_, a);
  }

  friend Exp<T> operator&(const Exp<T>& a, const Exp<T>& b) {
    return bitwise(ScalarOp::and_, a, b);
  }
  friend Exp<T> operator|(const Exp<T>& a, const Exp<T>& b) { return bitwise(ScalarOp::or_, a, b); }
  friend Exp<T> operator^(const Exp<T>& a, const Exp<T>& b) {
    return bitwise(ScalarOp::xor_, a, b);
  }
  friend Exp<T> operator~(const Exp<T>& a) {
    static_assert(!is_floating_leaf<T>, "hasten: ~ works on integers and bool");
    return prim1(ScalarOp::not_, a);
  }
  /// A shift by the width or more, or by a negative amount, returns 0.
  friend Exp<T> operator<<(const Exp<T>& a, const ShiftCount& n) {
    return shift(ScalarOp::shl, a, n);
  }
  /// Arithmetic on signed types: a shift by the width or more, or by a negative amount, returns the
  /// sign.
  friend Exp<T> operator>>(const Exp<T>& a, const ShiftCount& n) {
    return shift(ScalarOp::shr, a, n);
  }
};

/// Operators of complex Exps.
template <class T>
struct ComplexOperators {
  friend Exp<T> operator+(const Exp<T>& a, const Exp<T>& b) {
    return exp_of<T>(complex_add(term_of(a), term_of(b)));
  }
  friend Exp<T> operator-(const Exp<T>& a, const Exp<T>& b) {
    return exp_of<T>(complex_subtract(term_of(a), term_of(b)));
  }
  /// (ac - bd, ad + bc): infinities and NaNs are those of these formulas.
  friend Exp<T> operator*(const Exp<T>& a, const Exp<T>& b) {
    return exp_of<T>(complex_multiply(term_of(a), term_of(b)));
  }
  /// Does not overflow unless the result does.
  friend Exp<T> operator/(const Exp<T>& a, const Exp<T>& b) {
    return exp_of<T>(complex_divide(term_of(a), term_of(b)));
  }
  friend Exp<T> operator-(const Exp<T>& a) { return exp_of<T>(complex_negate(term_of(a))); }
  friend Exp<T> operator+(const Exp<T>& a) { return a; }
  friend BoolExp<T> operator==(const Exp<T>& a, const Exp<T>& b) {
    return compare(ScalarOp::eq, a, b);
  }
  friend BoolExp<T> operator!=(const Exp<T>& a, const Exp<T>& b) {
    return compare(ScalarOp::ne, a, b);
  }
  // Rejected with one sentence.
  friend BoolExp<T> operator<(const Exp<T>& a, const Exp<T>& b) {
    return order(ScalarOp::lt, a, b);
  }
  friend BoolExp<T> operator<=(const Exp<T>& a, const Exp<T>& b) {
    return order(ScalarOp::le, a, b);
  }
  friend BoolExp<T> operator>(const Exp<T>& a, const Exp<T>& b) {
    return order(ScalarOp::gt, a, b);
  }
  friend BoolExp<T> operator>=(const Exp<T>& a, const Exp<T>& b) {
    return order(ScalarOp::ge, a, b);
  }
};

/// Operators of compound Exps: == compares members, < is lexicographic in member order.
template <class T>
struct GroupOperators {
  friend BoolExp<T> operator==(const Exp<T>& a, const Exp<T>& b) {
    return compare(ScalarOp::eq, a, b);
  }
  friend BoolExp<T> operator!=(const Exp<T>& a, const Exp<T>& b) {
    return compare(ScalarOp::ne, a, b);
  }
  friend BoolExp<T> operator<(const Exp<T>& a, const Exp<T>& b) {
    return order(ScalarOp::lt, a, b);
  }
  friend BoolExp<T> operator<=(const Exp<T>& a, const Exp<T>& b) {
    return order(ScalarOp::le, a, b);
  }
  friend BoolExp<T> operator>(const Exp<T>& a, const Exp<T>& b) {
    return order(ScalarOp::gt, a, b);
  }
  friend BoolExp<T> operator>=(const Exp<T>& a, const Exp<T>& b) {
    return order(ScalarOp::ge, a, b);
  }
};

}  // namespace hasten::detail
