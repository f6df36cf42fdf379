// How far the floating functions are from the real ones, per function, type and target, in units in
// the last place of the result. docs/accuracy.md states the bounds; the measured maxima stand in
// the test's report (--gtest_output=json).
#include "functions.hpp"

#include <cstdio>

using hasten_test::error_of, hasten_test::Function, hasten_test::functions, hasten_test::Ours,
    hasten_test::samples;
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

double bound_of(const Function& f, const hs::Options& options) {
  const hs::Target& target = options.target;
  if (is_everywhere(options)) return f.everywhere;
  if (target == hs::cpu()) return f.cpu;
  return target == hs::opencl(0) ? f.opencl : f.interpreter;
}

// What rounding a correct result of float adds to half a unit, and one of double to that of float.
constexpr double rounded_twice = 0.51, own_float = 0.5001;

TEST_P(Accuracy, IsWithinTheBounds) {
  for (const Function& f : functions()) {
    // A result exactly one unit off is within the bound, however the reference rounds.
    const double bound = bound_of(f, GetParam()) * 1.001;
    const double of_float = is_everywhere(GetParam()) ? std::min(bound, own_float) : bound;
    measure<float>(f, f.single, of_float, "f32");
    measure<double>(f, f.twice, bound, "f64");
    measure<hs::half>(f, f.half, std::min(bound, rounded_twice), "f16");
    measure<hs::bfloat16>(f, f.bfloat16, std::min(bound, rounded_twice), "bf16");
  }
}

// -- Determinism::everywhere: beyond the samples of every target ----------------------------------

hs::Options everywhere() {
  return {.target = hasten_test::all_targets().back().target,
          .determinism = hs::Determinism::everywhere};
}

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

// Beside its value: NaN and infinity as <cmath> has them, zeros with their signs.
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

// Units between a float and the real number, which is given in double.
Exp<double> error_in_units(const Exp<float>& got, const Exp<double>& real) {
  const Exp<float> nearest = hs::cast<float>(real);
  const Exp<std::int64_t> exponent =
      hs::max(hs::bit_cast<std::int64_t>(hs::abs(real)) >> 52, std::int64_t{1023 - 126});
  const Exp<double> unit = hs::bit_cast<double>((exponent - 23) << 52);
  const Exp<double> distance = hs::abs(hs::cast<double>(got) - real) / unit;
  const Exp<bool> limit =
      hs::is_nan(got) | hs::is_nan(nearest) | hs::is_infinite(got) | hs::is_infinite(nearest);
  const Exp<bool> same = (hs::is_nan(got) & hs::is_nan(nearest)) | (got == nearest);
  return hs::select(limit, hs::select(same, Exp<double>(0.0), Exp<double>(1e9)), distance);
}

// All 2^32 floats, against the double functions of the cpu target, which are within 1 ulp: minutes
// of all processors, so that only ./dev test --all asks.
TEST(OwnAccuracy, DISABLED_EveryFloat) {
  constexpr std::int64_t chunk = std::int64_t{1} << 24, chunks = 256;
  for (const Function& f : functions()) {
    if (f.everywhere == 0 || f.y_low < f.y_high) continue;
    const auto floats = [&](const Exp<std::int64_t>& chunk_number) {
      return hs::generate(hs::ix(chunk), [&](const Exp<hs::Ix<1>>& i) {
        return hs::bit_cast<float>(hs::cast<std::uint32_t>(chunk_number * chunk + i[0]));
      });
    };
    const auto own = hs::compile<hs::Acc<hs::Vector<float>>(Exp<std::int64_t>)>(
        [&](const Exp<std::int64_t>& n) {
          return hs::map([&](const Exp<float>& x) { return f.single(x, x); }, floats(n));
        },
        everywhere());
    const auto worst_of =
        hs::compile<hs::Acc<hs::Scalar<double>>(Exp<std::int64_t>, hs::Acc<hs::Vector<float>>)>(
            [&](const Exp<std::int64_t>& n, const hs::Acc<hs::Vector<float>>& got) {
              return hs::fold([](const auto& a, const auto& b) { return hs::max(a, b); }, 0.0,
                              hs::zip_with(
                                  [&](const Exp<float>& x, const Exp<float>& y) {
                                    const Exp<double> wide = hs::cast<double>(x);
                                    return error_in_units(y, f.twice(wide, wide));
                                  },
                                  floats(n), got));
            },
            {.target = hasten_test::all_targets().back().target});
    double worst = 0;
    for (std::int64_t n = 0; n < chunks; ++n) worst = std::max(worst, worst_of(n, own(n)).item());
    RecordProperty(f.name, std::to_string(worst));
    std::printf("%s: %.6f\n", f.name, worst);
    std::fflush(stdout);
    EXPECT_LE(worst, own_float) << f.name;
  }
}

std::vector<hs::Options> targets() {
  std::vector<hs::Options> all = hasten_test::all_targets();
  const hs::Target fastest = all.back().target;
  all.push_back({.target = hs::opencl(0)});
  // The same bits on every target: OwnMath compares them.
  all.push_back({.target = fastest, .determinism = hs::Determinism::everywhere});
  return all;
}

std::string name_of(const testing::TestParamInfo<hs::Options>& info) {
  return is_everywhere(info.param) ? "everywhere" : hasten_test::target_name(info);
}

INSTANTIATE_TEST_SUITE_P(Targets, Accuracy, testing::ValuesIn(targets()), name_of);

}  // namespace
