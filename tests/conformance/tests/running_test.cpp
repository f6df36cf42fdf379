// Ways to run a program: streams, asynchronous calls, arguments of every number type.
#include "tests/conformance/tool/types.hpp"

namespace hasten::conformance {
namespace {

class Running : public OnTarget {
 protected:
  /// Runs the same program on the interpreter and on the target.
  template <class F>
  static auto both(F f) {
    Options reference = GetParam();
    reference.target = interpreter();
    return std::pair{compile(f, reference), compile(f, GetParam())};
  }
};
HASTEN_CONFORMANCE_SUITE(Running);

using Frame = Vector<std::int32_t>;

std::vector<Frame> frames() {
  std::vector<Frame> all;
  for (const Shape& shape : shapes_of_rank(1))
    all.push_back(
        detail::Access::array<Frame>(random_array({detail::ScalarType::i32}, shape, all.size())));
  return all;
}

std::pair<Acc<Frame>, Acc<Scalar<std::int64_t>>> sums_of(Acc<Frame> frame,
                                                         Exp<std::int32_t> factor) {
  const auto scaled = frame * factor;
  return {scanl1(std::plus<>{}, scaled), sum<std::int64_t>(scaled)};
}

TEST_P(Running, Streams) {
  const auto [reference, tested] = both(sums_of);
  std::vector<std::tuple<Frame, std::int32_t>> inputs;
  std::int32_t factor = -3;
  for (const Frame& frame : frames()) inputs.emplace_back(frame, factor++);
  std::size_t i = 0;
  for (const auto& [sums, total] : stream(tested, inputs)) {
    const auto [expected_sums, expected_total] =
        reference(std::get<0>(inputs[i]), std::get<1>(inputs[i]));
    EXPECT_EQ(sums, expected_sums) << i;
    EXPECT_EQ(total, expected_total) << i;
    ++i;
  }
  EXPECT_EQ(i, inputs.size());
}

TEST_P(Running, CallsInFlight) {
  const auto [reference, tested] = both(sums_of);
  const std::vector<Frame> inputs = frames();
  std::vector<decltype(tested.async(inputs[0], 2))> pending;
  for (const Frame& frame : inputs) pending.push_back(tested.async(frame, 2));
  for (std::size_t i = inputs.size(); i-- > 0;)
    EXPECT_EQ(std::get<0>(pending[i].get()), std::get<0>(reference(inputs[i], 2))) << i;
}

template <class T>
Acc<Vector<T>> with_number(Exp<T> x, Acc<Vector<T>> a) {
  return map([=](const Exp<T>& y) { return select(y == x, y, x); }, a);
}

/// Passes a value as an argument, and as a constant of the program.
template <class T>
void expect_numbers(const std::vector<T>& numbers, const Options& target) {
  Options reference = target;
  reference.target = interpreter();
  const auto expected = compile(with_number<T>, reference),
             tested = compile(with_number<T>, target);
  const Vector<T> a(static_cast<std::int64_t>(numbers.size()), std::span<const T>(numbers));
  for (const T& x : numbers) {
    EXPECT_TRUE(identical(tested(x, a), expected(x, a))) << type_name<T>();
    const auto fixed = with_number<T>(constant(x), use(a));
    EXPECT_TRUE(identical(run(fixed, target), run(fixed, reference))) << type_name<T>();
  }
}

TEST_P(Running, NumbersOfEveryType) {
  for_types(Integers{}, [&]<class T>(std::type_identity<T>) {
    using Limits = std::numeric_limits<T>;
    expect_numbers<T>({T(0), T(1), static_cast<T>(-1), Limits::min(), Limits::max()}, GetParam());
  });
  for_types(List<half, bfloat16, float, double>{}, [&]<class T>(std::type_identity<T>) {
    expect_numbers<T>(
        {T(0.0F), T(-0.0F), T(1.5F), T(-3e4F), T(std::numeric_limits<float>::infinity())},
        GetParam());
  });
  expect_numbers<std::complex<float>>({{0, -0.0F}, {1, 2}, {-0.0F, 3}}, GetParam());
  expect_numbers<std::complex<double>>({{0, -0.0}, {1, 2}, {-0.0, 3}}, GetParam());
  expect_numbers<Particle>({{0, 0, 0, false}, {1, -2, 3, true}}, GetParam());
}

}  // namespace
}  // namespace hasten::conformance
