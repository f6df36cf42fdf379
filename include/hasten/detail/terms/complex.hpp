// Complex arithmetic on terms, expanded into real operations; defined in
// src/surface/complex_terms.cpp.
#pragma once

#include <hasten/detail/term.hpp>

namespace hasten::detail {

Term complex_of(const Term& re, const Term& im);
Term real_part(const Term& z);
Term imaginary_part(const Term& z);

Term complex_add(const Term& a, const Term& b);
Term complex_subtract(const Term& a, const Term& b);
Term complex_multiply(const Term& a, const Term& b);
Term complex_divide(const Term& a, const Term& b);
Term complex_negate(const Term& z);
Term complex_conjugate(const Term& z);
/// Converts from a real type, or from the other precision.
Term complex_cast(const Term& term, ScalarType to);

/// Magnitude, squared magnitude and angle: real terms.
Term complex_abs(const Term& z);
Term complex_norm(const Term& z);
Term complex_arg(const Term& z);
Term complex_polar(const Term& magnitude, const Term& angle);

Term complex_exp(const Term& z);
Term complex_log(const Term& z);
Term complex_sqrt(const Term& z);
Term complex_pow(const Term& base, const Term& exponent);

}  // namespace hasten::detail
