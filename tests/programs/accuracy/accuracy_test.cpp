// The errors of the floating functions, per function, type and target, in units in the last place
// of the result: each is within its own bound (tests/support/math_bounds.hpp). The test's report
// has the measured maxima (--gtest_output=json). CUDA's bounds are those of a GPU: over the fake
// driver the functions are the C library's, and CUDA's bounds are not tested.
#include "functions.hpp"

using hasten_test::error_of, hasten_test::Function, hasten_test::functions, hasten_test::Ours,
    hasten_test::samples;
using hasten_test::everywhere, hasten_test::own_float;
using hs::Exp;

namespace {

class Accuracy : public hasten_test::OnEveryDevice {
 protected:
  template <class T>
  void measure(const Function& f, const Ours<T>& ours, double bound, const char* type) {
    const auto xs = samples<T>(f.x_low, f.x_high, 1), ys = samples<T>(f.y_low, f.y_high, 2);
    const auto results =
        run(hs::zip_with([&](const Exp<T>& x, const Exp<T>& y) { return ours(x, y); },
                         hs::use(hasten_test::vector_of(xs)), hs::use(hasten_test::vector_of(ys))));
    double worst = 0;
    std::size_t at = 0;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const double error =
          error_of<T>(results(static_cast<std::int64_t>(i)),
                      f.exact(static_cast<double>(xs[i]), static_cast<double>(ys[i])));
      if (error > worst) worst = error, at = i;
    }
    RecordProperty(std::string(f.name) + "_" + type, std::to_string(worst));
    EXPECT_LE(worst, bound) << f.name << " of " << type << " at " << static_cast<double>(xs[at])
                            << ", " << static_cast<double>(ys[at]) << " gives "
                            << static_cast<double>(results(static_cast<std::int64_t>(at)));
  }
};

bool is_everywhere(const hs::Options& options) {
  return options.determinism == hs::Determinism::everywhere;
}

hs::test::MathBound bound_of(const Function& f, const hs::Options& options) {
  if (is_everywhere(options)) return {std::min(f.everywhere, own_float), f.everywhere};
  return bound_on(f.bounds, options.target.name());
}

// Neither the way a value is computed nor its bits depend on its neighbours, since arrays may be
// split anywhere.
template <class T>
void neighbours_do_not_matter(const Function& f, const hs::Options& options) {
  constexpr std::int64_t copies = 64;  // more than the lanes of any vector
  std::vector<T> xs = samples<T>(f.x_low, f.x_high, 3), ys = samples<T>(f.y_low, f.y_high, 4);
  constexpr auto enough = 1500;
  xs.erase(xs.begin(), xs.end() - enough), ys.erase(ys.begin(), ys.end() - enough);
  const auto count = static_cast<std::int64_t>(xs.size());
  const hs::Array<T, 1> x = hasten_test::vector_of(xs), y = hasten_test::vector_of(ys);
  const auto alike = [&](const hs::Array<T, 1>& of) {
    return hs::Array<T, 1>::from_function(hs::ix(count * copies),
                                          [&](hs::Ix<1> i) { return of(i[0] / copies); });
  };
  const auto results = [&](const hs::Array<T, 1>& a, const hs::Array<T, 1>& b) {
    return run(hs::zip_with([&](const Exp<T>& p, const Exp<T>& q) { return ours_of<T>(f)(p, q); },
                            hs::use(a), hs::use(b)),
               options);
  };
  const auto mixed = results(x, y), alone = results(alike(x), alike(y));
  for (std::int64_t i = 0; i < count; ++i)
    for (const std::int64_t copy : {0, 17, 63}) {
      const T a = mixed(i), b = alone(i * copies + copy);
      const bool same = std::memcmp(&a, &b, sizeof(T)) == 0 ||
                        (std::isnan(static_cast<double>(a)) && std::isnan(static_cast<double>(b)));
      ASSERT_TRUE(same) << f.name << " of " << static_cast<double>(x(i)) << ", "
                        << static_cast<double>(y(i)) << " is " << static_cast<double>(a)
                        << " among others and " << static_cast<double>(b) << " among its likes";
    }
}

TEST_P(Accuracy, DoesNotDependOnNeighbours) {
  for (const Function& f : functions()) {
    neighbours_do_not_matter<float>(f, GetParam());
    neighbours_do_not_matter<double>(f, GetParam());
    neighbours_do_not_matter<hs::half>(f, GetParam());
  }
}

// Half a unit, and the error that rounding a correct float result adds.
constexpr double rounded_twice = 0.51;

TEST_P(Accuracy, IsWithinTheBounds) {
  for (const Function& f : functions()) {
    // A result exactly one unit off is within the bound, whichever way the reference is rounded.
    constexpr double with_room = 1.001;
    const hs::test::MathBound bound = bound_of(f, GetParam());
    const double of_small = std::min(bound.single * with_room, rounded_twice);
    measure<float>(f, f.single, is_everywhere(GetParam()) ? bound.single : bound.single * with_room,
                   "f32");
    measure<double>(f, f.twice, bound.twice * with_room, "f64");
    measure<hs::half>(f, f.half, of_small, "f16");
    measure<hs::bfloat16>(f, f.bfloat16, of_small, "bf16");
  }
}

// -- Determinism::everywhere: beyond the samples for every target ---------------------------------

// Angles of every magnitude, and the double that is nearest to a multiple of pi / 2.
TEST(OwnAccuracy, LargeAngles) {
  std::vector<double> xs{0x1.6ac5b262ca1ffp+849, -0x1.6ac5b262ca1ffp+849,
                         std::numeric_limits<double>::max(), 0x1p30, 0x1.0000000000001p30};
  for (int exponent = -1074; exponent < 1024; ++exponent)
    for (const double fraction : {1.0, -1.3713, 1.9999})
      xs.push_back(std::ldexp(fraction, exponent));
  for (const Function& f : functions()) {
    const std::string name = f.name;
    if (name != "sin" && name != "cos" && name != "tan") continue;
    const auto of_doubles = run(hs::map([&](const Exp<double>& x) { return f.twice(x, x); },
                                        hs::use(hasten_test::vector_of(xs))),
                                everywhere());
    const std::vector<float> narrow(xs.begin(), xs.end());
    const auto of_floats = run(hs::map([&](const Exp<float>& x) { return f.single(x, x); },
                                       hs::use(hasten_test::vector_of(narrow))),
                               everywhere());
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      EXPECT_LE(error_of<double>(of_doubles(at), f.exact(xs[i], 0)), f.everywhere * 1.001)
          << name << " of " << xs[i];
      EXPECT_LE(error_of<float>(of_floats(at), f.exact(narrow[i], 0)), own_float)
          << name << " of float " << narrow[i];
    }
  }
}

// Compared with the value: NaN and infinity as in <cmath>, zeros with their signs.
TEST(OwnAccuracy, SpecialNumbers) {
  const double infinity = std::numeric_limits<double>::infinity(), least = 0x1p-1074;
  const std::vector<double> special{
      0.0,         -0.0,   1,    -1,    0.5,    -0.5,       2,
      -2,          3,      -3,   2.5,   -2.5,   infinity,   -infinity,
      least,       -least, 1e22, -1e22, 0x1p53, 0x1p53 + 2, 0x1.fffffffffffffp1023,
      std::nan("")};
  std::vector<double> xs, ys;
  for (const double x : special)
    for (const double y : special) xs.push_back(x), ys.push_back(y);
  for (const Function& f : functions()) {
    if (f.everywhere == 0) continue;
    const auto got =
        run(hs::zip_with([&](const Exp<double>& x, const Exp<double>& y) { return f.twice(x, y); },
                         hs::use(hasten_test::vector_of(xs)), hs::use(hasten_test::vector_of(ys))),
            everywhere());
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const long double wanted = f.exact(xs[i], ys[i]);
      const double result = got(static_cast<std::int64_t>(i));
      EXPECT_LE(error_of<double>(result, wanted), f.everywhere * 1.001)
          << f.name << " of " << xs[i] << ", " << ys[i] << " gives " << result;
      if (!std::isnan(result)) {
        EXPECT_EQ(std::signbit(result), std::signbit(wanted))
            << f.name << " of " << xs[i] << ", " << ys[i] << " gives " << result;
      }
    }
  }
}

std::vector<hs::Options> targets() {
  std::vector<hs::Options> all = hasten_test::all_targets();
  const hs::Target fastest = all.back().target;
  all.push_back({.target = hs::opencl(0)});
  all.push_back({.target = hs::cuda(0)});
  // The bits are the same on every target, which OwnMath checks.
  all.push_back({.target = fastest, .determinism = hs::Determinism::everywhere});
  return all;
}

std::string name_of(const testing::TestParamInfo<hs::Options>& info) {
  return is_everywhere(info.param) ? "everywhere" : hasten_test::target_name(info);
}

INSTANTIATE_TEST_SUITE_P(Targets, Accuracy, testing::ValuesIn(targets()), name_of);

}  // namespace
