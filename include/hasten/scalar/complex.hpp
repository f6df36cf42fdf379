// Functions of complex numbers: on Exps and host values, and elementwise on arrays.
#pragma once

#include <hasten/scalar/math.hpp>

namespace hasten::detail {

/// Whether X holds complex numbers: an Exp, an array, or a host value of them.
template <class X>
inline constexpr bool is_complex_operand = ComplexLeaf<X>;
template <class T>
inline constexpr bool is_complex_operand<Exp<T>> = ComplexLeaf<T>;
template <class T, std::size_t N>
inline constexpr bool is_complex_operand<Acc<Array<T, N>>> = ComplexLeaf<T>;
template <class X>
concept ComplexOperand = is_complex_operand<X>;
template <class X, class Y>
concept ComplexOperands = ComplexOperand<X> || ComplexOperand<Y>;

/// f(term) as a complex number.
template <class X>
auto complex_function(Term (*f)(const Term&), const char* name, const Where& where, const X& x) {
  return lifted(name, where, [f]<class T>(const Exp<T>& z) { return exp_of<T>(f(term_of(z))); }, x);
}
/// f(term) as a real number.
template <class X>
auto complex_measure(Term (*f)(const Term&), const char* name, const Where& where, const X& x) {
  const auto apply = [f]<class T>(const Exp<T>& z) {
    static_assert(ComplexLeaf<T>, "hasten: this function works on complex numbers");
    return exp_of<typename T::value_type>(f(term_of(z)));
  };
  return lifted(name, where, apply, x);
}

}  // namespace hasten::detail

namespace hasten {

/// The real part.
template <detail::ComplexOperand X>
auto real(const X& z, detail::Where where = detail::Where::current()) {
  return detail::complex_measure(detail::real_part, "real", where, z);
}
/// The imaginary part.
template <detail::ComplexOperand X>
auto imag(const X& z, detail::Where where = detail::Where::current()) {
  return detail::complex_measure(detail::imaginary_part, "imag", where, z);
}
/// The magnitude, computed without overflow; a real number.
template <detail::ComplexOperand X>
auto abs(const X& z, detail::Where where = detail::Where::current()) {
  return detail::complex_measure(detail::complex_abs, "abs", where, z);
}
/// The squared magnitude; a real number.
template <detail::ComplexOperand X>
auto norm(const X& z, detail::Where where = detail::Where::current()) {
  return detail::complex_measure(detail::complex_norm, "norm", where, z);
}
/// The angle, from -pi to pi; a real number.
template <detail::ComplexOperand X>
auto arg(const X& z, detail::Where where = detail::Where::current()) {
  return detail::complex_measure(detail::complex_arg, "arg", where, z);
}
/// The complex conjugate.
template <detail::ComplexOperand X>
auto conj(const X& z, detail::Where where = detail::Where::current()) {
  return detail::complex_function(detail::complex_conjugate, "conj", where, z);
}
/// The complex number with a real magnitude and a real angle.
template <class R, class A>
auto polar(const R& magnitude, const A& angle, detail::Where where = detail::Where::current()) {
  const auto apply = []<class T>(const Exp<T>& r, const Exp<T>& a) {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                  "hasten::polar: needs a magnitude and an angle of float or double");
    return detail::exp_of<std::complex<T>>(
        detail::complex_polar(detail::term_of(r), detail::term_of(a)));
  };
  return detail::lifted("polar", where, apply, magnitude, angle);
}
/// e to the z.
template <detail::ComplexOperand X>
auto exp(const X& z, detail::Where where = detail::Where::current()) {
  return detail::complex_function(detail::complex_exp, "exp", where, z);
}
/// The natural logarithm, with the imaginary part arg(z).
template <detail::ComplexOperand X>
auto log(const X& z, detail::Where where = detail::Where::current()) {
  return detail::complex_function(detail::complex_log, "log", where, z);
}
/// The square root with a non-negative real part.
template <detail::ComplexOperand X>
auto sqrt(const X& z, detail::Where where = detail::Where::current()) {
  return detail::complex_function(detail::complex_sqrt, "sqrt", where, z);
}
/// exp(y * log(x)); for x = 0 and y other than 0, it is 0.
template <class X, class Y>
  requires detail::ComplexOperands<X, Y>
auto pow(const X& x, const Y& y, detail::Where where = detail::Where::current()) {
  const auto apply = []<class T>(const Exp<T>& a, const Exp<T>& b) {
    return detail::exp_of<T>(detail::complex_pow(detail::term_of(a), detail::term_of(b)));
  };
  return detail::lifted("pow", where, apply, x, y);
}

}  // namespace hasten
