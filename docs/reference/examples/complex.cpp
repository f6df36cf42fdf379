// Examples of complex numbers.
#include "docs/reference/examples/example.hpp"

#include <complex>

// Used in the examples:
const auto z = [] { return Exp<std::complex<double>>{3.0, 4.0}; };

EXAMPLE(real) {
  show(hs::real(z()));  // 3
  show(hs::imag(z()));  // 4
}
EXAMPLE(abs) {
  show(hs::abs(z()));   // 5
  show(hs::norm(z()));  // 25
}
EXAMPLE(arg) {
  show(hs::arg(Exp<std::complex<double>>{1.0, 0.0}));   // 0
  show(hs::polar(Exp<double>(2.0), Exp<double>(0.0)));  // (2,0)
}
EXAMPLE(conj) {
  show(hs::conj(z()));  // (3,-4)
  show(z() * z());      // (-7,24)
}
EXAMPLE(exp) {
  Exp<std::complex<double>> zero{0.0, 0.0}, one{1.0, 0.0};
  show(hs::exp(zero));      // (1,0)
  show(hs::log(one));       // (0,0)
  show(hs::sqrt(one));      // (1,0)
  show(hs::pow(one, one));  // (1,0)
}
