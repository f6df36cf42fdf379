// Devices of `multi` that fail in the middle of a call: the others do their parts. Over the fake
// CUDA driver, whose faults are asked for.
#include <hasten/hasten.hpp>

#include "tests/support/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

namespace hs = hasten;
using hs::Acc, hs::Scalar, hs::Vector;

namespace {

class MultiFails : public hs::test::OnFakeCuda {
 protected:
  static Vector<int> argument() {
    return Vector<int>::from_function(
        5000, [](hs::Ix<1> i) { return static_cast<int>(i[0] * 7919 % 1009) - 500; });
  }
  static Acc<Vector<int>> program(const Acc<Vector<int>>& xs) {
    return hs::scanl1(std::plus<>{}, hs::compute(xs * 3) + 1);
  }
  static hs::Options on(std::vector<hs::Target> targets) {
    return {.target = hs::multi(std::move(targets))};
  }
};

// Wherever the device fails, as the second device and as the first.
TEST_F(MultiFails, OthersDoTheParts) {
  const Vector<int> expected = hs::run(program(hs::use(argument())), {.target = hs::interpreter()});
  for (const bool is_first : {false, true})
    for (const char* kind : {"alloc", "launch", "copy", "crash", "lost"})
      for (int at = 1; at <= 6; ++at) {
        const auto f = hs::compile(
            program, is_first ? on({hs::cuda(0), hs::cpu()}) : on({hs::cpu(), hs::cuda(0)}));
        EXPECT_EQ(f(argument()), expected);
        fail(kind, at);
        EXPECT_EQ(f(argument()), expected) << kind << " " << at;
        reset();
        EXPECT_EQ(f(argument()), expected) << kind << " " << at;
      }
}

TEST_F(MultiFails, TwoDevicesOfAKind) {
  const Vector<int> expected = hs::run(program(hs::use(argument())), {.target = hs::interpreter()});
  const auto f = hs::compile(program, on({hs::cuda(0), hs::cuda(1)}));
  for (int call = 0; call < 7; ++call) EXPECT_EQ(f(argument()), expected);
}

}  // namespace
