// Conditions on whole arrays are checked before any cut, also for arrays that no part needs.
#include "tests/support/wrong_shapes.hpp"
#include "tests/support/devices.hpp"

#include <hasten/hasten.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace hs = hasten;

namespace {

using Ints = hs::test::WrongShapes::Ints;

Ints numbers(std::int64_t n) {
  return Ints::from_function(n, [](hs::Ix<1> i) { return static_cast<std::int32_t>(i[0] % 1009); });
}

void expect_errors(const hs::Options& options, int calls_of_each) {
  for (const hs::test::WrongShapes& wrong : hs::test::programs_of_wrong_shapes()) {
    auto f = hs::compile<hs::Acc<Ints>(hs::Acc<Ints>, hs::Acc<Ints>)>(wrong.program, options);
    for (int call = 0; call < calls_of_each; ++call)
      EXPECT_THROW(static_cast<void>(f(numbers(wrong.left), numbers(wrong.right))), hs::ShapeError)
          << wrong.name << ", call " << call;
  }
}

TEST(WrongShapes, Interpreter) { expect_errors({.target = hs::interpreter()}, 1); }

TEST(WrongShapes, Processor) { expect_errors({.target = hs::cpu()}, 1); }

TEST(WrongShapes, SeveralDevices) {
  hs::test::require_device("opencl");
  if (testing::Test::IsSkipped()) return;
  const hs::Target both = hs::multi({hs::cpu(), hs::opencl(0)});
  expect_errors({.target = both}, 2);
  for (const std::vector<double>& split : std::vector<std::vector<double>>{{1, 1}, {1, 0}, {0, 1}})
    expect_errors({.target = both, .split = split}, 1);
}

}  // namespace
