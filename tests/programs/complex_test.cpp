// Complex numbers: arithmetic, functions, and arrays of them, on every target.
#include "support.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <limits>
#include <sstream>

using hs::Acc, hs::Exp, hs::Matrix, hs::Scalar, hs::Vector;
using C = std::complex<float>;
using Z = std::complex<double>;

namespace signals {
struct Sample {
  float time = 0;
  C value;
  bool valid = false;
};
HASTEN_STRUCT(Sample, time, value, valid);
}  // namespace signals

namespace {

class Complex : public hasten_test::OnEveryTarget {
 protected:
  template <class T>
  static Exp<T> value(T v) {
    return hs::parameter(v);
  }
};

template <class T>
std::vector<std::complex<T>> some_numbers(std::int64_t count) {
  std::vector<std::complex<T>> result;
  for (std::int64_t i = 0; i < count; ++i) {
    const double angle = 0.7 * static_cast<double>(i), size = 0.01 + 0.13 * static_cast<double>(i);
    result.emplace_back(static_cast<T>(size * std::cos(angle)),
                        static_cast<T>(size * std::sin(angle)));
  }
  return result;
}

using Wide = std::complex<long double>;

// The error in units in the last place of the magnitude.
template <class T>
double units_off(std::complex<T> got, Wide wanted) {
  const Wide distance = Wide(got.real(), got.imag()) - wanted;
  if (distance == Wide(0)) return 0;
  return static_cast<double>(std::abs(distance) / std::abs(wanted) /
                             static_cast<long double>(std::numeric_limits<T>::epsilon()));
}

/// One function of one number, with the standard library's in long double, and the largest error
/// allowed: the measured one, rounded up.
struct Function {
  const char* name;
  std::function<Exp<Z>(Exp<Z>)> ours;
  std::function<Wide(Wide)> theirs;
  double units;
};
const Function functions[] = {
    {"exp", [](auto z) { return hs::exp(z); }, [](Wide z) { return std::exp(z); }, 1.5},
    {"log", [](auto z) { return hs::log(z + 3); }, [](Wide z) { return std::log(z + 3.0L); }, 1},
    {"sqrt", [](auto z) { return hs::sqrt(z); }, [](Wide z) { return std::sqrt(z); }, 1},
    {"pow", [](auto z) { return hs::pow(z, Z(1.5, 0.5)); },
     [](Wide z) { return std::pow(z, Wide(1.5L, 0.5L)); }, 8},
    {"conj", [](auto z) { return hs::conj(z); }, [](Wide z) { return std::conj(z); }, 0},
    {"inverse", [](auto z) { return 1 / z; }, [](Wide z) { return 1.0L / z; }, 1},
    {"square", [](auto z) { return z * z; }, [](Wide z) { return z * z; }, 1},
    {"negated", [](auto z) { return -z + 0; }, [](Wide z) { return -z; }, 0},
    {"polar", [](auto z) { return hs::polar(hs::abs(z), hs::arg(z)); }, [](Wide z) { return z; },
     2},
    {"parts", [](auto z) { return Exp<Z>(hs::real(z), hs::imag(z)); }, [](Wide z) { return z; }, 0},
    {"norm", [](auto z) { return Exp<Z>(hs::norm(z), 0); },
     [](Wide z) { return Wide(std::norm(z)); }, 1},
};

TEST_P(Complex, FunctionsAreThoseOfTheStandardLibrary) {
  const auto numbers = some_numbers<double>(133);
  const Vector<Z> v = hasten_test::vector_of(numbers);
  for (const Function& f : functions) {
    SCOPED_TRACE(f.name);
    const auto results = run(hs::map([&](const Exp<Z>& z) { return f.ours(z); }, hs::use(v)));
    double worst = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      worst = std::max(worst, units_off(results(i), f.theirs(Wide(numbers[i]))));
    RecordProperty(f.name, std::to_string(worst));
    EXPECT_LE(worst, f.units);
  }
}

TEST_P(Complex, SpecialNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(run(hs::sqrt(value(Z(-4, 0)))), Z(0, 2));
  EXPECT_EQ(run(hs::sqrt(value(Z(-4, -0.0)))), Z(0, -2));
  EXPECT_EQ(run(hs::sqrt(value(Z(0, 0)))), Z(0, 0));
  EXPECT_EQ(run(hs::sqrt(value(Z(1, infinity)))), Z(infinity, infinity));
  EXPECT_EQ(run(hs::exp(value(Z(infinity, 0)))), Z(infinity, 0));
  EXPECT_EQ(run(hs::exp(value(Z(-infinity, 3)))), Z(0, 0));
  EXPECT_EQ(run(hs::pow(value(Z(0, 0)), 2)), Z(0, 0));
  EXPECT_EQ(run(hs::pow(value(Z(0, 0)), 0)), Z(1, 0));
  EXPECT_DOUBLE_EQ(run(hs::abs(value(Z(3e200, 4e200)))), 5e200);
  EXPECT_EQ(run(value(Z(1e200, 1e200)) / value(Z(1e200, 1e200))), Z(1, 0));
  EXPECT_TRUE(std::isinf(run(hs::abs(value(Z(1, 1)) / Z(0, 0)))));
}

TEST_P(Complex, ArithmeticBesideNumbersAndComparison) {
  const Exp<C> z = value(C(1, 2));
  EXPECT_EQ(run(z * z + 1), C(-2, 4));
  EXPECT_EQ(run(2 * z - C(0, 1)), C(2, 3));
  EXPECT_EQ(run(z + Z(0.5, 0.25)), C(1.5F, 2.25F));
  EXPECT_EQ(run(z / 2), C(0.5F, 1));
  EXPECT_TRUE(run(z == C(1, 2)));
  EXPECT_TRUE(run(z != 1));
  EXPECT_EQ(run(hs::cast<Z>(z) + Z(0, 1e-9)), Z(1, 2 + 1e-9));
  EXPECT_EQ(run(hs::cast<C>(value(3))), C(3, 0));
  EXPECT_EQ(run(Exp<C>{}), C{});
  EXPECT_EQ(run(hs::select(value(true), z, 7)), C(1, 2));
  EXPECT_TRUE(run(Exp<std::pair<C, int>>(z, 1) == std::pair{C(1, 2), 1}));
  auto w = z;
  w *= C(0, 1);
  EXPECT_EQ(run(w), C(-2, 1));
}

template <class T>
void check_arrays(std::int64_t count, const hs::Options& target) {
  using X = std::complex<T>;
  const auto numbers = some_numbers<T>(count);
  const Vector<X> v = hasten_test::vector_of(numbers);
  const auto a = hs::use(v);
  // Multiples of an eighth, whose sums are exact in any order.
  const auto eighths = hs::generate(hs::ix(count), [](const Exp<hs::Ix<1>>& i) {
    return Exp<X>(hs::cast<T>(i[0] % 41 - 20) / 8, hs::cast<T>(i[0] % 37 - 18) / 4);
  });
  const auto results = hs::run(std::tuple{a * X(0, 1), hs::reverse(a), hs::conj(a), hs::real(a),
                                          hs::sum(a), hs::sum(eighths)},
                               target);
  Wide sum{}, exact{};
  long double magnitudes = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const X x = numbers[static_cast<std::size_t>(i)];
    EXPECT_EQ(std::get<0>(results)(i), X(-x.imag(), x.real()));
    EXPECT_EQ(std::get<1>(results)(count - 1 - i), x);
    EXPECT_EQ(std::get<2>(results)(i), std::conj(x));
    EXPECT_EQ(std::get<3>(results)(i), x.real());
    sum += Wide(x);
    magnitudes += std::abs(Wide(x));
    exact +=
        Wide(static_cast<long double>(i % 41 - 20) / 8, static_cast<long double>(i % 37 - 18) / 4);
  }
  EXPECT_EQ(Wide(std::get<5>(results).item()), exact);
  // The interpreter's chain of roundings is the worst case; these numbers point in all directions.
  const Wide off = Wide(std::get<4>(results).item()) - sum;
  EXPECT_LE(std::abs(off), 2 * std::numeric_limits<T>::epsilon() * magnitudes) << count;
}

TEST_P(Complex, ArraysOfEverySize) {
  for (const std::int64_t count : {0, 1, 2, 15, 16, 17, 63, 64, 65, 1009, 70000}) {
    check_arrays<float>(count, GetParam());
    check_arrays<double>(count, GetParam());
  }
}

TEST_P(Complex, FoldsAlongBothAxesAndWithSeeds) {
  const auto m = Matrix<Z>::from_function({5, 70}, [](hs::Ix<2> ix) {
    return Z(static_cast<double>(ix[0] + 1), static_cast<double>(ix[1] % 3));
  });
  const auto a = hs::use(m);
  const auto rows = run(hs::fold(std::plus<>{}, Z(100, 1), a));
  const auto columns = run(hs::sum_on<0>(a));
  const auto product = run(hs::fold1(std::multiplies<>{}, hs::transpose(a)));
  for (std::int64_t i = 0; i < 5; ++i) {
    Z sum(100, 1);
    for (std::int64_t k = 0; k < 70; ++k) sum += m(i, k);
    EXPECT_EQ(rows(i), sum);
  }
  for (std::int64_t k = 0; k < 70; ++k) {
    Z sum{}, all{1};
    for (std::int64_t i = 0; i < 5; ++i) sum += m(i, k), all *= m(i, k);
    EXPECT_EQ(columns(k), sum);
    EXPECT_EQ(product(k), all);
  }
}

// Loops keep the parts of complex states separately; lanes leave at different times.
TEST_P(Complex, Mandelbrot) {
  const auto steps = run(hs::generate(hs::ix(9, 40), [](const Exp<hs::Ix<2>>& ix) {
    const Exp<C> c{hs::cast<float>(ix[1]) / 20 - 1.5F, hs::cast<float>(ix[0]) / 8 - 0.5F};
    const auto [z, n] = hs::while_loop(
        [](const auto& at, const auto& k) { return hs::norm(at) < 4 && k < 50; },
        [=](const auto& at, const auto& k) { return std::tuple{at * at + c, k + 1}; },
        std::tuple{c, 0});
    return n;
  }));
  for (std::int64_t row = 0; row < 9; ++row)
    for (std::int64_t column = 0; column < 40; ++column) {
      const C c(static_cast<float>(column) / 20 - 1.5F, static_cast<float>(row) / 8 - 0.5F);
      C z = c;
      int n = 0;
      for (; std::norm(z) < 4 && n < 50; ++n)
        z = {z.real() * z.real() - z.imag() * z.imag() + c.real(),
             z.real() * z.imag() + z.imag() * z.real() + c.imag()};
      EXPECT_EQ(steps(row, column), n) << row << ", " << column;
    }
}

TEST_P(Complex, MembersParametersGathersAndBorrowedMemory) {
  using signals::Sample;
  const Vector<Sample> samples{{0, C(1, 2), true}, {1, C(3, 4), false}, {2, C(5, 6), true}};
  EXPECT_EQ(samples.component<1>()[1], C(3, 4));
  const auto doubled = run(hs::map(
      [](Exp<Sample> s) {
        s.value = hs::select(s.valid, s.value * 2, s.value);
        return s;
      },
      hs::use(samples)));
  EXPECT_EQ(doubled(0).value, C(2, 4));
  EXPECT_EQ(doubled(1).value, C(3, 4));

  const auto f = hs::compile(
      [](Exp<Z> factor, Acc<Vector<Z>> a, Acc<Vector<std::int32_t>> at) {
        return hs::map([=](const auto& i) { return a[i] * factor; }, at);
      },
      GetParam());
  const Z memory[] = {Z(1, 0), Z(2, 1), Z(3, 2)};
  const auto borrowed = Vector<Z>::borrow(3, memory, [] {});
  const auto gathered = f(Z(0, 1), borrowed, Vector<std::int32_t>{2, 0, 1, 2});
  EXPECT_EQ(gathered, (Vector<Z>{Z(-2, 3), Z(0, 1), Z(-1, 2), Z(-2, 3)}));
  EXPECT_EQ(run(hs::unit(value(C(1, 2)))).item(), C(1, 2));
}

TEST_P(Complex, ScansOfNothingGiveTheSeed) {
  const auto scanned = [this]<class T>(T seed) {
    const auto rows = hs::fill(hs::ix(3, 0), T());
    return this->run(
        hs::scanl([](const auto& x, const auto& y) { return x + y; }, value(seed), rows));
  };
  EXPECT_EQ(scanned(Z(1, 2)), (Matrix<Z>{{Z(1, 2)}, {Z(1, 2)}, {Z(1, 2)}}));
  EXPECT_EQ(scanned(C(3, 4)), (Matrix<C>{{C(3, 4)}, {C(3, 4)}, {C(3, 4)}}));
}

TEST(HostArrays, PrintComplexNumbers) {
  std::ostringstream out;
  out << Vector<C>{C(1, -0.5F), 2};
  EXPECT_EQ(out.str(), "[(1, -0.5), (2, 0)]");
}

HASTEN_ON_EVERY_TARGET(Complex);

}  // namespace
