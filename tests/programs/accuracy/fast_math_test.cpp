// FastMath, each setting on each target: nothing happens beyond what the setting allows.
#include "functions.hpp"

#include <functional>
#include <random>

using hasten_test::error_of, hasten_test::Function, hasten_test::functions, hasten_test::vector_of;
using hs::Exp, hs::FastMath, hs::Vector;

namespace {

constexpr FastMath settings[] = {FastMath::none, FastMath::contract, FastMath::all};

class FastMaths : public hasten_test::OnEveryDevice {
 protected:
  template <class P>
  static auto run_with(FastMath fast, const P& program) {
    hs::Options options = GetParam();
    options.fast_math = fast;
    return hs::run(program, options);
  }
  static bool is_interpreter() { return GetParam().target == hs::interpreter(); }

  // Code with vectors of 128 bits is for processors without fused products.
  static bool must_fuse() {
#if defined(__x86_64__)
    return GetParam().target == hs::cpu() && __builtin_cpu_supports("fma") &&
           std::getenv("HASTEN_CPU_WIDTH") == nullptr;
#else
    return false;
#endif
  }
};

// Numbers of many magnitudes, none of them special.
template <class T>
std::vector<T> some(std::uint64_t seed, double low, double high, std::size_t count = 5003) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<T> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(static_cast<T>(uniform(random)));
  return result;
}

template <class T>
auto product_and_sum(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c) {
  return hs::zip_with([](const auto& x, const auto& y, const auto& z) { return x * y + z; },
                      hs::use(vector_of(a)), hs::use(vector_of(b)), hs::use(vector_of(c)));
}

// Weights that are an outer product, in one kernel with a window of sums on targets that have
// windows. Sums of integers have the same bits under every setting; sums of floats are near, and
// equal for whole numbers.
TEST_P(FastMaths, StencilsOfOuterProducts) {
  const auto binomial = [](auto at) {
    constexpr int weights[] = {1, 4, 6, 4, 1};
    auto sum = at(-2, -2);
    for (int i = -2; i <= 2; ++i)
      for (int j = -2; j <= 2; ++j)
        if (i > -2 || j > -2) {
          const int weight = weights[i + 2] * weights[j + 2];
          sum = sum + at(i, j) * decltype(at(0, 0))(weight);
        }
    return sum;
  };
  const auto check = [&]<class T>(T, const auto& border) {
    for (const auto& [height, width] :
         {std::pair<int64_t, int64_t>{1, 1}, {5, 4}, {37, 71}, {64, 130}}) {
      std::mt19937 random(5);
      const auto image = hs::Matrix<T>::from_function(
          hs::ix(height, width), [&](auto) { return static_cast<T>(random() % 256); });
      const auto program = hs::stencil(binomial, border, hs::use(image));
      const auto expected = hs::run(program, {.target = hs::interpreter()});
      for (const FastMath fast : settings)
        EXPECT_EQ(run_with(fast, program), expected) << height << " x " << width;
    }
  };
  const auto with_each_border = [&](auto zero) {
    check(zero, hs::boundary::clamp);
    check(zero, hs::boundary::wrap);
    check(zero, hs::boundary::outside(zero));
  };
  with_each_border(float{});
  with_each_border(double{});
  with_each_border(std::int32_t{});
  with_each_border(std::uint8_t{});
}

// Roots whose powers are needed, in the elements of rows that have been folded before and of
// stencils that share them.
TEST_P(FastMaths, PowersOfRoots) {
  using Grid = hs::Acc<hs::Matrix<float>>;
  const auto roots = [](const Grid& x) {
    return hs::map([](auto v) { return hs::rsqrt(hs::exp(v) + 1.0F); }, x);
  };
  const auto shares = [=](const Grid& x) {
    const auto r = roots(x);
    const auto sums = hs::replicate(hs::over(hs::keep, hs::shape(x)[1]), hs::sum(r));
    return hs::zip_with([](auto a, auto t) { return a * a * a / t; }, r, sums);
  };
  const auto around = [=](const Grid& x) {
    const auto at_each = [](auto at) {
      const auto a = at(0, 0), b = at(0, 1);
      return a * a * a + b * b + at(-1, 0) + at(1, 1);
    };
    return hs::stencil(at_each, hs::boundary::clamp, roots(x));
  };
  const auto check = [&](const auto& program) {
    const auto x = hs::Matrix<float>::from_function(hs::ix(37, 211), [](hs::Ix<2> i) {
      return 0.1F * static_cast<float>((7 * i[0] + 3 * i[1]) % 50);
    });
    const auto expected = hs::run(program(hs::use(x)), {.target = hs::interpreter()}).to_vector();
    for (const FastMath fast : settings) {
      const auto got = run_with(fast, program(hs::use(x))).to_vector();
      for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i] / expected[i], 1.0F, 4e-6F) << i;
    }
  };
  check(shares);
  check(around);
}

// Products are rounded either twice or once, and once only where that is allowed.
TEST_P(FastMaths, ContractFusesProductsOnly) {
  const auto check = []<class T>(T) {
    const auto a = some<T>(1, -4, 4), b = some<T>(2, -4, 4);
    std::vector<T> c;  // near -a * b, where fusion shows
    for (std::size_t i = 0; i < a.size(); ++i) c.push_back(i % 2 == 0 ? -a[i] * b[i] : a[i] - 1);
    for (const FastMath fast : settings) {
      if (fast == FastMath::all) continue;
      const auto got = run_with(fast, product_and_sum(a, b, c));
      std::size_t fused = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        volatile T product = a[i] * b[i];  // or the compiler of the test fuses
        const T twice = product + c[i], once = std::fma(a[i], b[i], c[i]);
        const T result = got(static_cast<std::int64_t>(i));
        if (result == twice) continue;
        ++fused;
        ASSERT_EQ(result, once) << a[i] << " * " << b[i] << " + " << c[i];
      }
      if (fast == FastMath::none || is_interpreter()) {
        EXPECT_EQ(fused, 0U);
      }
      if (fast == FastMath::contract && must_fuse()) {
        EXPECT_GT(fused, a.size() / 4);
      }
    }
  };
  check(float{});
  check(double{});
}

// Under `none` and `contract`, folds use the usual tree.
TEST_P(FastMaths, OnlyAllChangesSums) {
  const auto xs = hs::use(vector_of(some<float>(3, -1, 1, 70'001)));
  const float strict = run_with(FastMath::none, hs::sum(xs)).item();
  EXPECT_EQ(run_with(FastMath::contract, hs::sum(xs)).item(), strict);
  const float loose = run_with(FastMath::all, hs::sum(xs)).item();
  EXPECT_NEAR(loose, strict, 70'001 * 0x1p-24 * 16);  // 16: a tree, not a chain
  if (is_interpreter()) {
    EXPECT_EQ(loose, strict);
  }
}

TEST_P(FastMaths, SpecialNumbersStayWithoutAll) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Vector<double> xs{infinity, -infinity, std::nan(""), 0.0, -0.0, 1e308};
  const auto program = hs::map(
      [](const auto& x) {
        const auto y = 0.5 * (x * x) - x * x;
        return hs::select(hs::is_nan(y), Exp<double>(7.0), 1.0 / (x + 0.0 * x));
      },
      hs::use(xs));
  for (const FastMath fast : {FastMath::none, FastMath::contract}) {
    const auto got = run_with(fast, program);
    for (const std::int64_t i : {0, 1, 2, 5}) EXPECT_EQ(got(i), 7) << i;
    EXPECT_EQ(got(3), infinity);
    EXPECT_EQ(got(4), -infinity);
  }
}

TEST_P(FastMaths, IntegersAreUntouched) {
  const auto program = hs::generate(hs::ix(1000), [](const Exp<hs::Ix<1>>& i) {
    const Exp<std::int32_t> x = hs::cast<std::int32_t>(i[0]) * 2147483 - 77;
    return x * x + x / 3 - x % 7 + (x ^ (x >> 3));
  });
  const auto wanted = hs::run(program, {.target = hs::interpreter()});
  for (const FastMath fast : settings) EXPECT_EQ(run_with(fast, program), wanted);
}

// Quotients by reciprocals and roots by estimates are near, for normal numbers.
TEST_P(FastMaths, AllIsNear) {
  const auto check = []<class T>(T) {
    const auto a = some<T>(4, 0.5, 4), b = some<T>(5, 0.5, 4);
    const auto [quotients, roots, sums] = run_with(
        FastMath::all,
        std::tuple{hs::zip_with(std::divides<>{}, hs::use(vector_of(a)), hs::use(vector_of(b))),
                   hs::map([](const auto& x) { return hs::sqrt(x); }, hs::use(vector_of(a))),
                   product_and_sum(a, b, a)});
    for (std::size_t i = 0; i < a.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const long double x = a[i], y = b[i];
      EXPECT_LE(error_of<T>(quotients(at), x / y), 2.5) << a[i] << " / " << b[i];
      EXPECT_LE(error_of<T>(roots(at), std::sqrt(x)), 3) << a[i];
      EXPECT_LE(error_of<T>(sums(at), x * y + x), 1.5) << a[i] << ", " << b[i];
    }
  };
  check(float{});
  check(double{});
}

// Contracted functions keep their bounds. Under `all`, OpenCL and CUDA are only required to be
// within some 2^-11 for moderate arguments; the CPU's functions change only by the operations that
// they consist of.
TEST_P(FastMaths, FunctionsAreNear) {
  constexpr double on_cpu = 4, on_devices = 0x1p-11;
  for (const Function& f : functions()) {
    if (f.everywhere == 0) continue;
    const double low = std::max(f.x_low, -2.5) + 0.25, high = std::min(f.x_high, 2.5) - 0.25;
    const auto xs = some<float>(6, low, high), ys = some<float>(7, 0.25, 2);
    const auto program =
        hs::zip_with([&](const Exp<float>& x, const Exp<float>& y) { return f.single(x, y); },
                     hs::use(vector_of(xs)), hs::use(vector_of(ys)));
    const double bound = bound_on(f.bounds, GetParam().target.name()).single;
    const auto worst_of = [&](FastMath fast) {
      const auto got = run_with(fast, program);
      double units = 0, distance = 0;
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const float result = got(static_cast<std::int64_t>(i));
        const long double wanted = f.exact(xs[i], ys[i]);
        units = std::max(units, error_of<float>(result, wanted));
        distance = std::max(distance, static_cast<double>(std::abs(result - wanted) /
                                                          std::max(1.0L, std::abs(wanted))));
      }
      return std::pair{units, distance};
    };
    EXPECT_LE(worst_of(FastMath::none).first, bound * 1.001) << f.name;
    EXPECT_LE(worst_of(FastMath::contract).first, bound * 1.001) << f.name << ", contracted";
    const auto [units, distance] = worst_of(FastMath::all);
    RecordProperty(f.name, std::to_string(units));
    EXPECT_LE(distance, on_devices) << f.name;
    if (GetParam().target == hs::cpu()) {
      EXPECT_LE(units, on_cpu) << f.name;
    }
    if (is_interpreter()) {
      EXPECT_LE(units, bound * 1.001) << f.name;
    }
  }
}

HASTEN_ON_EVERY_DEVICE(FastMaths);

}  // namespace
