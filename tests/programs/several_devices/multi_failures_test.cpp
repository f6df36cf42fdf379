// Devices of `multi` that fail in the middle of a call: the others do their parts. Uses the fake
// CUDA driver, which injects the faults.
#include <hasten/hasten.hpp>

#include "tests/support/fake_cuda.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

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

// At every call of the driver, for the device as second and as first.
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

// Each round reads all of the round before.
TEST_F(MultiFails, OthersDoThePartsThatAreJoined) {
  const auto rounds = [](const Acc<Vector<int>>& xs) {
    return hs::aiterate(
        3,
        [](const Acc<Vector<int>>& v) {
          return hs::generate(hs::size(v), [=](const hs::Exp<std::int64_t>& i) {
            return v[i * 7919 % hs::size(v)] - v[i];
          });
        },
        xs);
  };
  const Vector<int> expected = hs::run(rounds(hs::use(argument())), {.target = hs::interpreter()});
  for (const char* kind : {"launch", "copy", "crash", "lost"})
    for (int at = 1; at <= 8; ++at) {
      hs::Options thirds = on({hs::cuda(0), hs::cuda(1), hs::cpu()});
      thirds.split = {1, 1, 1};
      const auto f = hs::compile(rounds, thirds);
      EXPECT_EQ(f(argument()), expected);
      fail(kind, at);
      EXPECT_EQ(f(argument()), expected) << kind << " " << at;
      reset();
      EXPECT_EQ(f(argument()), expected) << kind << " " << at;
    }
}

// A call ends when no device is left: one that was lost before is not blamed for the other.
TEST_F(MultiFails, NoDeviceIsLeft) {
  const auto f = hs::compile(program, on({hs::cuda(0), hs::cuda(1)}));
  const Vector<int> expected = hs::run(program(hs::use(argument())), {.target = hs::interpreter()});
  for (int call = 0; call < 3; ++call) EXPECT_EQ(f(argument()), expected);
  for (int at = 1; at <= 4; ++at) {
    fail("lost", 1);
    try {
      EXPECT_EQ(f(argument()), expected);
    } catch (const hs::TargetError& error) {
      EXPECT_NE(std::string(error.what()).find("cuda:"), std::string::npos);
    }
  }
  reset();
}

// 2, 4 and 8 devices, as many as the driver reports; with and without the processor, which comes
// last and whose part is the smallest.
TEST_F(MultiFails, DevicesOfAKind) {
  const Vector<int> expected = hs::run(program(hs::use(argument())), {.target = hs::interpreter()});
  const char* const number = std::getenv("FAKE_CUDA_DEVICES");
  const int there = number ? std::atoi(number) : 2;
  for (int count = 2; count <= there; count *= 2)
    for (const bool with_processor : {false, true}) {
      std::vector<hs::Target> targets;
      for (int device = 0; device < count; ++device) targets.push_back(hs::cuda(device));
      if (with_processor) targets.push_back(hs::cpu());
      const auto f = hs::compile(program, on(targets));
      for (int call = 0; call < 8; ++call) EXPECT_EQ(f(argument()), expected) << count;
      hs::Options fixed = on(targets);
      for (std::size_t k = 0; k < targets.size(); ++k)
        fixed.split.push_back(static_cast<double>(targets.size() - k));
      EXPECT_EQ(hs::run(program(hs::use(argument())), fixed), expected) << count;
    }
}

// One of many is lost: the others, and the next calls, do without it.
TEST_F(MultiFails, OneOfManyIsLost) {
  const char* const number = std::getenv("FAKE_CUDA_DEVICES");
  const int there = number ? std::atoi(number) : 2;
  std::vector<hs::Target> targets{hs::cpu()};
  for (int device = 0; device < there; ++device) targets.push_back(hs::cuda(device));
  hs::Options equal = on(targets);
  equal.split.assign(targets.size(), 1);
  const Vector<int> expected = hs::run(program(hs::use(argument())), {.target = hs::interpreter()});
  const auto f = hs::compile(program, equal);
  EXPECT_EQ(f(argument()), expected);
  fail("launch", 2);
  for (int call = 0; call < 3; ++call) EXPECT_EQ(f(argument()), expected);
  reset();
}

}  // namespace
