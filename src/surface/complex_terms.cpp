// Complex arithmetic and functions in terms of their parts.
#include "surface/node.hpp"

#include <hasten/detail/terms/complex.hpp>
#include <hasten/detail/terms/scalar.hpp>

#include <bit>

namespace hasten::detail {
namespace {

/// A real term with operators.
struct Real {
  Term term;

  [[nodiscard]] ScalarType type() const { return type_of(term)->leaf; }
  friend Real operator+(const Real& a, const Real& b) { return a.with(ScalarOp::add, b); }
  friend Real operator-(const Real& a, const Real& b) { return a.with(ScalarOp::sub, b); }
  friend Real operator*(const Real& a, const Real& b) { return a.with(ScalarOp::mul, b); }
  friend Real operator/(const Real& a, const Real& b) { return a.with(ScalarOp::div, b); }
  friend Real operator-(const Real& a) { return a.apply(ScalarOp::neg); }

  [[nodiscard]] Real with(ScalarOp op, const Real& b) const {
    return {prim_of(op, type(), {term, b.term})};
  }
  [[nodiscard]] Real apply(ScalarOp op) const { return {prim_of(op, type(), {term})}; }
  [[nodiscard]] Real number(double x) const {
    const bool single = type() == ScalarType::f32;
    const std::uint64_t bits = single ? std::bit_cast<std::uint32_t>(static_cast<float>(x))
                                      : std::bit_cast<std::uint64_t>(x);
    return {constant(type(), {bits, 0}, LiteralMode::baked)};
  }
  [[nodiscard]] Term compare(ScalarOp op, const Real& b) const {
    return prim_of(op, ScalarType::boolean, {term, b.term});
  }
  [[nodiscard]] Term equals(double x) const { return compare(ScalarOp::eq, number(x)); }
};

Real chosen(const Term& condition, const Real& a, const Real& b) {
  return {choose(condition, a.term, b.term)};
}

struct Complex {
  Real re, im;
  explicit Complex(const Term& z) : re{real_part(z)}, im{imaginary_part(z)} {}
};

Term made(const Real& re, const Real& im) { return complex_of(re.term, im.term); }

/// One of the two arguments, if the term is the number made from them.
Term part_of(const Term& z, ScalarOp op, std::size_t part) {
  const Node& node = *z.node();
  if (node.kind == NodeKind::prim && node.op == ScalarOp::complex_make) return node.children[part];
  return prim_of(op, part_of(type_of(z)->leaf), {z});
}

}  // namespace

Term complex_of(const Term& re, const Term& im) {
  const bool single = type_of(re)->leaf == ScalarType::f32;
  return prim_of(ScalarOp::complex_make, single ? ScalarType::c64 : ScalarType::c128, {re, im});
}

Term real_part(const Term& z) { return part_of(z, ScalarOp::complex_real, 0); }
Term imaginary_part(const Term& z) { return part_of(z, ScalarOp::complex_imag, 1); }

Term complex_add(const Term& a, const Term& b) {
  const Complex x(a), y(b);
  return made(x.re + y.re, x.im + y.im);
}

Term complex_subtract(const Term& a, const Term& b) {
  const Complex x(a), y(b);
  return made(x.re - y.re, x.im - y.im);
}

Term complex_multiply(const Term& a, const Term& b) {
  const Complex x(a), y(b);
  return made(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re);
}

// Smith's method: divides by the larger part of the divisor first.
Term complex_divide(const Term& a, const Term& b) {
  const Complex x(a), y(b);
  const Term real_larger =
      y.re.apply(ScalarOp::abs).compare(ScalarOp::ge, y.im.apply(ScalarOp::abs));
  const Real large = chosen(real_larger, y.re, y.im), small = chosen(real_larger, y.im, y.re);
  const Real ratio = chosen(large.equals(0), small, small / large);  // 0 / 0 would be NaN
  const Real divisor = large + small * ratio;
  const Real p = chosen(real_larger, x.re, x.im), q = chosen(real_larger, x.im, x.re);
  const Real difference = q - p * ratio;
  return made((p + q * ratio) / divisor, chosen(real_larger, difference, -difference) / divisor);
}

Term complex_negate(const Term& z) {
  const Complex x(z);
  return made(-x.re, -x.im);
}

Term complex_conjugate(const Term& z) {
  const Complex x(z);
  return made(x.re, -x.im);
}

Term complex_cast(const Term& term, ScalarType to) {
  const ScalarType from = type_of(term)->leaf, part = part_of(to);
  if (from == to) return term;
  if (is_complex(from))
    return complex_of(cast_term(real_part(term), part), cast_term(imaginary_part(term), part));
  const Real re{cast_term(term, part)};
  return made(re, re.number(0));
}

Term complex_abs(const Term& z) {
  const Complex x(z);
  return x.re.with(ScalarOp::hypot, x.im).term;
}

Term complex_norm(const Term& z) {
  const Complex x(z);
  return (x.re * x.re + x.im * x.im).term;
}

Term complex_arg(const Term& z) {
  const Complex x(z);
  return x.im.with(ScalarOp::atan2, x.re).term;
}

Term complex_polar(const Term& magnitude, const Term& angle) {
  const Real r{magnitude}, a{angle};
  return made(r * a.apply(ScalarOp::cos), r * a.apply(ScalarOp::sin));
}

// A real argument has a real result; the general formula would multiply infinity by 0, a NaN.
Term complex_exp(const Term& z) {
  const Complex x(z);
  const Real size = x.re.apply(ScalarOp::exp);
  const Term is_real = x.im.equals(0);
  return made(chosen(is_real, size, size * x.im.apply(ScalarOp::cos)),
              chosen(is_real, x.im, size * x.im.apply(ScalarOp::sin)));
}

Term complex_log(const Term& z) {
  return made(Real{complex_abs(z)}.apply(ScalarOp::log), Real{complex_arg(z)});
}

// The root whose real part is not negative. With t = sqrt((|z| + |re|) / 2) it is t + im/2t i, or
// for a negative real part |im|/2t + t i with the sign of im.
Term complex_sqrt(const Term& z) {
  const Complex x(z);
  const Real half = x.re.number(0.5), zero = x.re.number(0);
  const Real t =
      (Real{complex_abs(z)} * half + x.re.apply(ScalarOp::abs) * half).apply(ScalarOp::sqrt);
  const Real other = chosen(t.equals(0), zero, x.im.apply(ScalarOp::abs) / (t + t));
  const Term right = x.re.compare(ScalarOp::ge, zero);
  const Real re = chosen(right, t, other), im = chosen(right, other, t);
  const Term im_infinite = prim_of(ScalarOp::is_infinite, ScalarType::boolean, {x.im.term});
  const Real infinite = x.im.apply(ScalarOp::abs);
  return made(chosen(im_infinite, infinite, re),
              chosen(im_infinite, infinite, im).with(ScalarOp::copysign, x.im));
}

// 0 to any power is 0, except that 0 to the power 0 is 1.
Term complex_pow(const Term& base, const Term& exponent) {
  const Complex b(base), e(exponent);
  const Complex power(complex_exp(complex_multiply(exponent, complex_log(base))));
  const Real zero = b.re.number(0), one = b.re.number(1);
  const auto both_zero = [](const Complex& z) {
    return prim_of(ScalarOp::and_, ScalarType::boolean, {z.re.equals(0), z.im.equals(0)});
  };
  const Term of_zero = both_zero(b), to_zero = both_zero(e);
  const Real re = chosen(of_zero, zero, power.re), im = chosen(of_zero, zero, power.im);
  return made(chosen(to_zero, one, re), chosen(to_zero, zero, im));
}

}  // namespace hasten::detail
