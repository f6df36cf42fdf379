// Determinism::everywhere on all 2^32 floats, compared with the double functions of the cpu target,
// which are within 1 ulp. This takes minutes on all processors, so only ./dev test --all runs it.
#include "functions.hpp"

using hasten_test::Function;
using hs::Acc, hs::Exp, hs::Scalar, hs::Vector;

namespace {

// Units between a float and the real number, which is passed as a double.
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

constexpr std::int64_t chunk = std::int64_t{1} << 24, chunks = 256;

Acc<Vector<float>> floats(const Exp<std::int64_t>& chunk_number) {
  return hs::generate(hs::ix(chunk), [&](const Exp<hs::Ix<1>>& i) {
    return hs::bit_cast<float>(hs::cast<std::uint32_t>(chunk_number * chunk + i[0]));
  });
}

class EveryFloat : public testing::TestWithParam<Function> {};

TEST_P(EveryFloat, DISABLED_IsWithinTheBound) {
  const Function& f = GetParam();
  const auto own = hs::compile<Acc<Vector<float>>(Exp<std::int64_t>)>(
      [&](const Exp<std::int64_t>& n) {
        return hs::map([&](const Exp<float>& x) { return f.single(x, x); }, floats(n));
      },
      hasten_test::everywhere());
  const auto worst_of = hs::compile<Acc<Scalar<double>>(Exp<std::int64_t>, Acc<Vector<float>>)>(
      [&](const Exp<std::int64_t>& n, const Acc<Vector<float>>& got) {
        return hs::maximum(hs::zip_with(
            [&](const Exp<float>& x, const Exp<float>& y) {
              const Exp<double> wide = hs::cast<double>(x);
              return error_in_units(y, f.twice(wide, wide));
            },
            floats(n), got));
      },
      {.target = hasten_test::everywhere().target});
  double worst = 0;
  for (std::int64_t n = 0; n < chunks; ++n) worst = std::max(worst, worst_of(n, own(n)).item());
  RecordProperty(f.name, std::to_string(worst));
  EXPECT_LE(worst, hasten_test::own_float);
}

// The functions of one argument that are not exact.
std::vector<Function> functions_of_one() {
  std::vector<Function> all = hasten_test::functions();
  std::erase_if(all, [](const Function& f) { return f.everywhere == 0 || f.y_low < f.y_high; });
  return all;
}

std::string name_of(const testing::TestParamInfo<Function>& of) { return of.param.name; }

INSTANTIATE_TEST_SUITE_P(Functions, EveryFloat, testing::ValuesIn(functions_of_one()), name_of);

}  // namespace
