// Determinism::everywhere: functions have the same bits on every target. Each target is compared
// with the interpreter; entries of CTest do this for vectors of every width, and for one thread and
// several.
#include "functions.hpp"

#include <complex>
#include <tuple>

using hasten_test::Function, hasten_test::functions, hasten_test::samples, hasten_test::vector_of;
using hs::Exp, hs::Vector;

namespace {

hs::Options everywhere(const hs::Target& target, hs::FastMath fast = hs::FastMath::none) {
  return {.target = target, .determinism = hs::Determinism::everywhere, .fast_math = fast};
}

// Maps every NaN to one NaN, because processors differ in the NaN that they produce.
template <class T>
auto bits(const Exp<T>& x) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  return hs::select(hs::is_nan(x), Exp<Bits>(Bits{1}), hs::bit_cast<Bits>(x));
}

class OwnMath : public hasten_test::OnEveryDevice {
 protected:
  template <class P>
  static void expect_same(const P& program, const std::string& what,
                          hs::FastMath fast = hs::FastMath::none) {
    const auto wanted = hs::run(program, everywhere(hs::interpreter()));
    const auto got = hs::run(program, everywhere(GetParam().target, fast));
    ASSERT_EQ(wanted.size(), got.size());
    for (std::int64_t i = 0; i < wanted.size(); ++i)
      ASSERT_EQ(wanted(i), got(i)) << what << " of sample " << i;
  }

  template <class T>
  static void functions_of() {
    for (const Function& f : functions()) {
      const auto xs = samples<T>(f.x_low, f.x_high, 1), ys = samples<T>(f.y_low, f.y_high, 2);
      const hasten_test::Ours<T>& ours = hasten_test::ours_of<T>(f);
      expect_same(hs::zip_with([&](const Exp<T>& x, const Exp<T>& y) { return bits(ours(x, y)); },
                               hs::use(vector_of(xs)), hs::use(vector_of(ys))),
                  f.name);
    }
  }

  // Numbers of every magnitude.
  static Vector<double> numbers(std::uint64_t seed) {
    return vector_of(samples<double>(-1e300, 1e300, seed));
  }
};

TEST_P(OwnMath, Floats) { functions_of<float>(); }
TEST_P(OwnMath, Doubles) { functions_of<double>(); }
TEST_P(OwnMath, Halves) { functions_of<hs::half>(); }
TEST_P(OwnMath, Bfloat16s) { functions_of<hs::bfloat16>(); }

// Functions of literals are folded when the program is compiled, by the same functions; at the
// level of arrays, the host computes them.
TEST_P(OwnMath, Scalars) {
  for (const Function& f : functions()) {
    const Exp<double> x = 0.7316, y = -1.93;
    expect_same(hs::generate(hs::ix(3), [&](const Exp<hs::Ix<1>>&) { return bits(f.twice(x, y)); }),
                std::string(f.name) + " of literals");
    const Exp<double> z = hs::parameter(0.25), w = hs::parameter(3.5);
    const Exp<double> shared = f.twice(z, w);
    expect_same(hs::generate(hs::ix(3),
                             [&](const Exp<hs::Ix<1>>& i) {
                               return bits(shared * hs::cast<double>(i[0]) + shared);
                             }),
                std::string(f.name) + " of parameters");
  }
}

TEST_P(OwnMath, ComplexFunctions) {
  using Complex = std::complex<double>;
  const auto each = [&](const char* name, auto f) {
    expect_same(hs::zip_with(
                    [&](const Exp<double>& a, const Exp<double>& b) {
                      const Exp<Complex> z = f(Exp<Complex>(a, b));
                      return bits(hs::real(z)) ^ (bits(hs::imag(z)) * std::uint64_t{3});
                    },
                    hs::use(numbers(1)), hs::use(numbers(2))),
                name);
  };
  each("exp", [](const auto& z) { return hs::exp(z); });
  each("log", [](const auto& z) { return hs::log(z); });
  each("sqrt", [](const auto& z) { return hs::sqrt(z); });
  each("pow", [](const auto& z) { return hs::pow(z, z); });
  each("polar", [](const auto& z) { return hs::polar(hs::abs(z), hs::arg(z)); });
  each("quotient", [](const auto& z) { return Exp<Complex>(1, 2) / z; });
}

TEST_P(OwnMath, NormalNumbers) {
  const auto of = [](auto zero) {
    using T = decltype(zero);
    return hs::generate(hs::ix(5000), [](const Exp<hs::Ix<1>>& i) {
      return bits(hs::normal<T>(std::uint64_t{7}, hs::cast<std::uint64_t>(i[0])));
    });
  };
  expect_same(of(float{}), "normal of float");
  expect_same(of(double{}), "normal of double");
}

// Nothing is contracted, regardless of FastMath.
TEST_P(OwnMath, FastMathIsLeftOut) {
  const auto program = hs::zip_with(
      [](const Exp<double>& a, const Exp<double>& b) {
        return bits(hs::sin(a * b + 1.5) * b + a / (b * b + 3.0));
      },
      hs::use(numbers(1)), hs::use(numbers(2)));
  for (const hs::FastMath fast : {hs::FastMath::contract, hs::FastMath::all})
    expect_same(program, "fast math", fast);
}

HASTEN_ON_EVERY_DEVICE(OwnMath);

}  // namespace
